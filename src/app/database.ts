import type { Config } from './config/config.ts'
import { findEmbedded, startEmbedded } from '../platform/db/embedded.ts'
import { isOwner, migrate, serviceUrl } from '../platform/db/migrate.ts'
import { openPool, type PoolCounts } from '../platform/db/pool.ts'
import { openRefusedWrites, type RefusedWrites } from '../platform/db/refused-writes.ts'
import type { Database } from '../platform/db/sql.ts'
import type { LastSeen } from './last-seen.ts'
import { detach } from '../platform/lib/detach.ts'
import type { Log } from '../platform/lib/log.ts'
import type { SecurityEvents } from '../platform/lib/security-events.ts'
import type { Secrets } from '../platform/privacy/master-key.ts'

/** A database as the settings name it. */
export type Reached = {
  /** For the service's own role; one URL a host. */
  urls: string[]
  /** For the owner of the tables. Empty where the settings name the service's role only: then nothing can be migrated. */
  ownerUrls: string[]
  /** Ends the embedded server, if this process started it. */
  release(): Promise<void>
}

/** The login role that everything but migrating runs as, unless the settings name one: `cambio_service` for `cambio`. */
const serviceRoleOf = (ownerUrl: string): string => `${new URL(ownerUrl).pathname.slice(1) || 'cambio'}_service`

/** The URL of the database for the service's own role, with the password that is derived from the master key. */
export const serviceUrlOf = (ownerUrl: string, { databasePassword }: Secrets): string =>
  serviceUrl(ownerUrl, serviceRoleOf(ownerUrl), databasePassword)

/** The database of the settings. Without DATABASE_OWNER_URL, DATABASE_URL may be the owner's: the server is asked. */
async function external({ database }: Config, secrets: Secrets): Promise<Reached> {
  const { urls, ownerUrl } = database
  const release = async (): Promise<void> => undefined
  if (ownerUrl !== undefined) {
    const own = urls.length > 0 ? urls : [serviceUrlOf(ownerUrl, secrets)]
    if (own.some((url) => new URL(url).username === new URL(ownerUrl).username)) {
      throw new Error('DATABASE_URL and DATABASE_OWNER_URL name the same role: use two roles.')
    }
    return { urls: own, ownerUrls: [ownerUrl], release }
  }
  return (await namesOwner(urls))
    ? { urls: urls.map((url) => serviceUrlOf(url, secrets)), ownerUrls: urls, release }
    : { urls, ownerUrls: [], release }
}

/** Whether the role of these URLs owns the database. */
async function namesOwner(urls: string[]): Promise<boolean> {
  const db = openPool({ urls, size: 2 })
  try {
    return await isOwner(db)
  } finally {
    await db.close()
  }
}

/** Reaches the database that the settings name; the embedded one is started, and started again should it die. */
export async function reachDatabase(config: Config, secrets: Secrets, log: Log): Promise<Reached> {
  if (isExternal(config)) return external(config, secrets)
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
    urls: [serviceUrlOf(url, secrets)],
    ownerUrls: [url],
    release: async () => {
      released = true
      await embedded.stop()
      await revival
    },
  }
}

const reviveAfterMs = 1_000

const isExternal = ({ database }: Config): boolean => database.urls.length > 0 || database.ownerUrl !== undefined

/** The same for a command: a running service's embedded database is used as it is, one that does not run is started for it. */
export async function joinDatabase(config: Config, secrets: Secrets): Promise<Reached> {
  if (isExternal(config)) return external(config, secrets)
  const running = await findEmbedded(config.dataDir)
  const { url, stop } = running ? { ...running, stop: async () => undefined } : await startEmbedded(config)
  return { urls: [serviceUrlOf(url, secrets)], ownerUrls: [url], release: stop }
}

/** Brings the schema up to date as the owner, and gives the service's role what it may do. Gives the migrations that were applied. */
export async function bringUpToDate({ urls: [url = ''], ownerUrls }: Reached, secrets: Secrets): Promise<string[]> {
  const { username, password } = new URL(url)
  let failure: unknown = new Error('Only the owner of the database can migrate it. Set DATABASE_OWNER_URL.')
  for (const ownerUrl of ownerUrls) {
    try {
      const { applied } = await migrate({
        ownerUrl,
        serviceRole: decodeURIComponent(username),
        servicePassword: decodeURIComponent(password),
        keyMark: secrets.mark,
      })
      return applied
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** The SQLSTATE of a statement that the role may not run. */
const denied = '42501'

/** Opens the pool of the service's own role. A statement that the role may not run is a security event. */
export const openServicePool = (
  config: Config,
  { urls }: Reached,
  { witness }: LastSeen,
  { record }: Pick<SecurityEvents, 'record'>,
  refusedWrites: RefusedWrites = openRefusedWrites(),
): Database & { counts: PoolCounts } =>
  openPool({
    urls,
    witness,
    onRefused: (sqlState, text) => {
      if (sqlState === denied) record('sql_denied')
      refusedWrites.note(sqlState, text)
    },
    size: config.database.poolSize,
    statementTimeoutMs: config.database.statementTimeoutMs,
  })
