import { existsSync } from 'node:fs'
import { userInfo } from 'node:os'

import { type Config, readConfig } from '../config.ts'
import type { Ctx } from '../context.ts'
import { joinDatabase, openServicePool, type Reached } from '../database.ts'
import { buildHouse, type House } from '../house.ts'
import { systemClock } from '../lib/clock.ts'
import { createLog, type Log } from '../lib/log.ts'
import { loadSecrets, type Secrets } from '../privacy/master-key.ts'
import { readSandbox } from '../seed.ts'

/** A whole database may have to be read by one statement of a check. */
const checkTimeoutMs = 3_600_000

/** How much a command gets from a database: two connections, and a time for each statement. */
type Use = { statementTimeoutMs?: number }

/**
 * Runs `work` on the exchange that the settings name, with everything wired and nothing started, and leaves the database as
 * it was found: running or not. Business time is that of the running service. Refuses where no exchange has been set up yet.
 */
export async function withExchange<T>(work: (ctx: Ctx) => Promise<T>, { statementTimeoutMs }: Use = {}): Promise<T> {
  const config = readConfig()
  const log = logOf(config)
  const secrets = await ownSecrets(config)
  const reached = await joinDatabase(config)
  try {
    const timeoutMs = statementTimeoutMs ?? config.database.statementTimeoutMs
    const frugal = { ...config, database: { ...config.database, poolSize: 2, statementTimeoutMs: timeoutMs } }
    const db = openServicePool(frugal, reached, secrets)
    try {
      const { ctx, bell } = await wire({ config, log, secrets, db })
      try {
        return await work(ctx)
      } finally {
        await bell.close()
      }
    } finally {
      await db.close()
    }
  } finally {
    await reached.release()
  }
}

/** The same for a check that may have to read everything there is. */
export const withAllTime = <T>(work: (ctx: Ctx) => Promise<T>): Promise<T> =>
  withExchange(work, { statementTimeoutMs: checkTimeoutMs })

async function wire(ground: Pick<Ctx, 'config' | 'log' | 'secrets' | 'db'>): Promise<House> {
  const { http, dataDir } = ground.config
  const publicUrl = http.publicUrl ?? (await readSandbox(dataDir))?.url ?? `http://localhost:${http.port}`
  return buildHouse({ ...ground, clock: systemClock(), publicUrl, processorUrl: '' })
}

/** Runs `work` where only the database and the secrets are needed, as `withExchange` does. */
export async function withDatabase<T>(
  work: (reached: Reached, secrets: Secrets) => Promise<T>,
  { makeKey = () => false }: { makeKey?: (config: Config) => boolean } = {},
): Promise<T> {
  const config = readConfig()
  logOf(config)
  const secrets = makeKey(config) ? await loadSecrets(config.masterKeyFile, true) : await ownSecrets(config)
  const reached = await joinDatabase(config)
  try {
    return await work(reached, secrets)
  } finally {
    await reached.release()
  }
}

/** A key that is made by the way would open nothing, so a command only reads the one that is there. */
async function ownSecrets({ masterKeyFile }: Config): Promise<Secrets> {
  if (!existsSync(masterKeyFile)) {
    throw new Error(
      `There is no exchange here: ${masterKeyFile} is missing. Start the service once, or give this command the ` +
        'DATA_DIR, DATABASE_URL and MASTER_KEY_FILE of the one that runs.',
    )
  }
  return loadSecrets(masterKeyFile, false)
}

/** A command speaks for itself: the log is for warnings. */
function logOf({ logLevel, warnings }: Config): Log {
  const log = createLog(['info', 'debug', 'trace'].includes(logLevel) ? 'warn' : logLevel)
  for (const warning of warnings) log.warn({}, warning)
  return log
}

/** Who changes something by the command line, as the audit names them: `cli:alice`. */
export function actor(): string {
  try {
    return `cli:${userInfo().username}`
  } catch {
    // A container's user may have a number and no name.
    return `cli:uid-${process.getuid?.() ?? 'unknown'}`
  }
}
