import { existsSync } from 'node:fs'

import { type Config, readConfig } from '../config/config.ts'
import type { Exchange } from '../../doors/commands/command.ts'
import type { Ctx } from '../../exchange/context.ts'
import { joinDatabase, openServicePool, type Reached } from '../database.ts'
import { buildHouse } from '../compose.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { createLog, type Log } from '../../platform/lib/log.ts'
import { loadSecrets, type Secrets } from '../../platform/privacy/master-key.ts'
import { plugInsFor } from '../registry.ts'
import { readSandboxFile } from '../sandbox-file.ts'

/** What a command finds by the settings. */
type Found = { config: Config; log: Log; secrets: Secrets; reached: Reached }

/**
 * Runs `work` where the exchange's database and secrets are, and leaves the database as it was found: running or not. Refuses
 * where no exchange has been set up yet, unless `makeKey` says that this command sets one up.
 */
export async function withDatabase<T>(
  work: (found: Found) => Promise<T>,
  { makeKey = () => false }: { makeKey?: (config: Config) => boolean } = {},
): Promise<T> {
  const config = readConfig()
  const log = logOf(config)
  const secrets = makeKey(config) ? await loadSecrets(config.masterKeyFile, true) : await ownSecrets(config)
  const reached = await joinDatabase(config)
  try {
    return await work({ config, log, secrets, reached })
  } finally {
    await reached.release()
  }
}

/**
 * The same with the whole exchange wired and nothing of it started: `work` calls the business's own verbs. Business time is
 * that of the running service, and processes that have work to do afterwards are woken.
 */
const withExchange = <T>(work: (ctx: Ctx) => Promise<T>, use: Partial<Use> = {}): Promise<T> =>
  withDatabase(async ({ config, log, secrets, reached }) => {
    const frugal = { ...config, roles: [], database: { ...config.database, poolSize: 2, ...use } }
    const db = openServicePool(frugal, reached, secrets)
    try {
      const publicUrl = await publicUrlOf(config)
      const plugIns = await plugInsFor(config)
      const { ctx, notifier } = await buildHouse({
        config: frugal,
        log,
        secrets,
        db,
        clock: systemClock(),
        publicUrl,
        plugIns,
      })
      const result = await work(ctx)
      await notifier.close()
      return result
    } finally {
      await db.close()
    }
  })

/** How the database is used, where not as the settings say. */
type Use = Pick<Config['database'], 'statementTimeoutMs'>

/** How the commands reach the exchange; a check's statement may have to read everything there is. */
export const exchange: Exchange = {
  exchange: (work) => withExchange(work),
  patientExchange: (work) => withExchange(work, { statementTimeoutMs: 3_600_000 }),
}

/** Where the exchange is reached; in the sandbox, where it was reached last. */
const publicUrlOf = async (config: Config): Promise<string> =>
  config.http.publicUrl ?? (await readSandboxFile(config))?.url ?? `http://localhost:${config.http.port}`

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
