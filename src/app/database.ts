import type { Config } from './config/config.ts'
import { findEmbedded, startEmbedded } from '../platform/db/embedded.ts'
import { migrate, serviceUrl } from '../platform/db/migrate.ts'
import { openPool, type PoolCounts } from '../platform/db/pool.ts'
import type { Database } from '../platform/db/sql.ts'
import { detach } from '../platform/lib/detach.ts'
import type { Log } from '../platform/lib/log.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'

/** The database's URLs for its owner, and how to release it. */
export type Reached = {
  ownerUrls: string[]
  /** Ends the embedded server, if this process started it. */
  release(): Promise<void>
}

/** The login role that everything but migrating runs as: `cambio_service` for the database `cambio`. */
const serviceRoleOf = (ownerUrl: string): string => `${new URL(ownerUrl).pathname.slice(1) || 'cambio'}_service`

/** Reaches the database that the settings name; the embedded one is started, and started again should it die. */
export async function reachDatabase(config: Config, log: Log): Promise<Reached> {
  const { urls } = config.database
  if (urls.length > 0) return { ownerUrls: urls, release: async () => undefined }
  let embedded = await startEmbedded({ dataDir: config.dataDir })
  const { url } = embedded
  let released = false

  async function revive(): Promise<void> {
    await embedded.ended
    while (!released) {
      log.error({}, 'The embedded database died; restarting it.')
      try {
        embedded = await startEmbedded({ dataDir: config.dataDir })
        if (released) await embedded.stop()
        await embedded.ended
      } catch (error) {
        log.error({ err: error }, 'Failed to start the embedded database; retrying.')
        await new Promise((resolve) => setTimeout(resolve, reviveAfterMs))
      }
    }
  }
  const revival = revive()
  detach(revival)
  return {
    ownerUrls: [url],
    release: async () => {
      released = true
      await embedded.stop()
      await revival
    },
  }
}

const reviveAfterMs = 1_000

/** The same for a command: a running service's embedded database is used as it is, one that does not run is started for it. */
export async function joinDatabase(config: Config): Promise<Reached> {
  const { urls } = config.database
  if (urls.length > 0) return { ownerUrls: urls, release: async () => undefined }
  const running = await findEmbedded(config.dataDir)
  if (running) return { ownerUrls: [running.url], release: async () => undefined }
  const embedded = await startEmbedded({ dataDir: config.dataDir })
  return { ownerUrls: [embedded.url], release: () => embedded.stop() }
}

/** Brings the schema up to date as the owner. Gives the names of the migrations that were applied. */
export async function bringUpToDate({ ownerUrls }: Reached, secrets: Secrets): Promise<string[]> {
  let failure: unknown
  for (const ownerUrl of ownerUrls) {
    try {
      const { applied } = await migrate({
        ownerUrl,
        serviceRole: serviceRoleOf(ownerUrl),
        servicePassword: secrets.databasePassword,
        keyMark: secrets.mark,
      })
      return applied
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** The URL of the database for the service's own role. */
export const serviceUrlOf = (ownerUrl: string, { databasePassword }: Secrets): string =>
  serviceUrl(ownerUrl, serviceRoleOf(ownerUrl), databasePassword)

/** Opens the pool of the service's own role. */
export const openServicePool = (
  config: Config,
  { ownerUrls }: Reached,
  secrets: Secrets,
): Database & { counts: PoolCounts } =>
  openPool({
    urls: ownerUrls.map((url) => serviceUrlOf(url, secrets)),
    size: config.database.poolSize,
    statementNames: config.database.statementNames,
    statementTimeoutMs: config.database.statementTimeoutMs,
  })
