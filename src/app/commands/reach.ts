import { existsSync } from 'node:fs'

import { type Config, readConfig } from '../config/config.ts'
import type { Exchange } from '../../doors/commands/command.ts'
import type { Ctx } from '../../exchange/context.ts'
import { joinDatabase, openServicePool, type Reached } from '../database.ts'
import { learnLedgerKeys } from '../../exchange/ledger/ledger-keys.ts'
import { openLastSeen } from '../last-seen.ts'
import { composeExchange } from '../compose.ts'
import { openSecurityEvents } from '../../platform/lib/security-events.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { refuseOtherSchema } from '../../platform/db/migrate.ts'
import { createLog, type Log } from '../../platform/lib/log.ts'
import { loadSecrets, type Secrets } from '../../platform/privacy/master-key.ts'
import { learnMasterKeys } from '../../platform/privacy/master-keys.ts'
import { plugInsFor } from '../registry.ts'
import { readSandboxFile } from '../sandbox-file.ts'

/** What the settings lead to. */
type DatabaseAccess = { config: Config; log: Log; secrets: Secrets; reached: Reached }

/**
 * Runs `work` with the exchange's database and secrets, and leaves the database running or stopped as before. Refuses where no
 * exchange is set up, unless `makeKey` allows the command to set one up. Only `asOwner` may DATABASE_OWNER_URL be set in live mode.
 */
export async function withDatabase<T>(
  work: (found: DatabaseAccess) => Promise<T>,
  { makeKey = () => false, asOwner = false }: { makeKey?: (config: Config) => boolean; asOwner?: boolean } = {},
): Promise<T> {
  const config = readConfig(undefined, { asOwner })
  const log = logOf(config)
  const secrets = makeKey(config) ? await loadSecrets(config.masterKeyFile, true) : await ownSecrets(config)
  const reached = await joinDatabase(config, secrets)
  try {
    return await work({ config, log, secrets, reached })
  } finally {
    await reached.release()
  }
}

/**
 * The same with the whole exchange composed and nothing started. Business time is the running service's, and its processes
 * are woken for the jobs that `work` leaves.
 */
const withExchange = <T>(work: (ctx: Ctx) => Promise<T>, use: Partial<Use> = {}): Promise<T> =>
  withDatabase(async ({ config, log, secrets, reached }) => {
    const frugal = { ...config, roles: [], database: { ...config.database, poolSize: 2, ...use } }
    const lastSeen = openLastSeen(config.dataDir, log)
    const db = openServicePool(frugal, reached, lastSeen, openSecurityEvents(log))
    try {
      await refuseOtherSchema(db, secrets.mark)
      await learnMasterKeys(db, secrets)
      await learnLedgerKeys(db, secrets)
      const publicUrl = await publicUrlOf(config)
      const plugIns = await plugInsFor(config)
      const { ctx, notifier } = await composeExchange({
        config: frugal,
        log,
        secrets,
        db,
        clock: systemClock(),
        publicUrl,
        plugIns,
        payoutMemory: lastSeen.payouts,
      })
      const result = await work(ctx)
      await notifier.close()
      return result
    } finally {
      await db.close()
    }
  })

/** Overrides of the database settings. */
type Use = Pick<Config['database'], 'statementTimeoutMs'>

/** A check's statement may have to read whole tables. */
export const exchange: Exchange = {
  exchange: (work) => withExchange(work),
  patientExchange: (work) => withExchange(work, { statementTimeoutMs: 3_600_000 }),
}

/** The sandbox's URL is that of its last start. */
const publicUrlOf = async (config: Config): Promise<string> =>
  config.http.publicUrl ?? (await readSandboxFile(config))?.url ?? `http://localhost:${config.http.port}`

/** A new key would open nothing, so commands only read an existing one. */
async function ownSecrets({ masterKeyFile }: Config): Promise<Secrets> {
  if (!existsSync(masterKeyFile)) {
    throw new Error(
      `No exchange found: ${masterKeyFile} is missing. Start the service once, or run this command with the ` +
        'DATA_DIR, DATABASE_URL and MASTER_KEY_FILE of the running service.',
    )
  }
  return loadSecrets(masterKeyFile, false)
}

/** A command prints its result, so its log has warnings only. */
function logOf({ logLevel, warnings }: Config): Log {
  const log = createLog(['info', 'debug', 'trace'].includes(logLevel) ? 'warn' : logLevel)
  for (const warning of warnings) log.warn({}, warning)
  return log
}
