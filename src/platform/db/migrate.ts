import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

import pg from 'pg'

import { projectRoot } from '../lib/root.ts'
import { loneClient } from './lone-client.ts'
import type { Db } from './sql.ts'

/** Who owns the tables, and the role that the running service gets. */
export type MigrateOptions = {
  ownerUrl: string
  /** The service's login role; made if it is not there. */
  serviceRole: string
  /** Its password, set again at each run, so that a new one takes effect. */
  servicePassword: string
  /** Stands for the master key. The first run writes it down; a later one with another is refused before it changes anything. */
  keyMark?: Buffer
}

/** What a run of `migrate` did: the files it applied, in order. */
export type Migrated = { applied: string[] }

type Migration = { name: string; text: string; checksum: string }

const oneMigratorAtATime = 712_403_551
/** For one file, and for another process that migrates: an hour. */
const longestMs = 3_600_000

/**
 * Brings the schema up to date: plain numbered SQL files, forward only, each in its own database transaction with its
 * checksum recorded. Refuses to continue when an applied file was edited or is missing. Two processes that
 * migrate at once do so one after the other. Ends by giving the service's role exactly what `grants.sql` says.
 */
export async function migrate(options: MigrateOptions): Promise<Migrated> {
  const migrations = await readMigrations()
  const client = loneClient({ connectionString: options.ownerUrl, query_timeout: longestMs })
  await client.connect()
  try {
    await client.query('select pg_advisory_lock($1)', [oneMigratorAtATime])
    await client.query(`create table if not exists schema_migrations (
      name text primary key, checksum text not null, applied_at timestamptz not null default now())`)
    if (options.keyMark) await refuseOtherKey(client, options.keyMark)
    const done = await client.query<{ name: string; checksum: string }>('select name, checksum from schema_migrations')
    const known = new Map(done.rows.map((row) => [row.name, row.checksum]))
    assertUnchanged(migrations, known)

    const grants = await readFile(join(migrationsFolder, 'grants.sql'), 'utf8')
    const grantsMark = createHash('sha256')
      .update(grants + options.serviceRole + options.servicePassword)
      .digest('hex')
    const due = migrations.filter(({ name }) => !known.has(name))
    const isGranted = known.get(grantsName) === grantsMark && (await hasGrants(client, options.serviceRole))
    if (due.length === 0 && isGranted) return { applied: [] }

    for (const migration of due) await apply(client, migration)
    if (options.keyMark)
      await client.query('update service_state set key_mark = $1 where key_mark is null', [options.keyMark])
    await ensureRole(client, options)
    await apply(client, { name: grantsName, text: forRole(grants, options.serviceRole), checksum: grantsMark })
    return { applied: due.map(({ name }) => name) }
  } finally {
    await client.end()
  }
}

/**
 * Refuses a database that this version must not use: one that lacks migrations, has others, or whose migrations were edited, and one
 * of another master key, unless it was ever rotated: see `learnMasterKeys`. Reads only, so the service's role may ask.
 */
export async function refuseOtherSchema(db: Db, keyMark: Buffer): Promise<void> {
  const migrations = await readMigrations()
  const [{ there } = { there: false }] = await db.sql<{ there: boolean }>`
    select to_regclass('schema_migrations') is not null as there`
  const rows = there
    ? await db.sql<{ name: string; checksum: string }>`select name, checksum from schema_migrations`
    : []
  const known = new Map(rows.map((row) => [row.name, row.checksum]))
  assertUnchanged(migrations, known)
  const due = migrations.filter(({ name }) => !known.has(name))
  if (due.length > 0) {
    throw new Error(
      `The database lacks ${due.length} of ${migrations.length} migrations. Run: DATABASE_OWNER_URL=... cambio migrate`,
    )
  }
  const [state] = await db.sql<{ key_mark: Buffer | null; rotated: boolean }>`
    select key_mark, exists (select from master_keys) as rotated from service_state`
  if (!state?.rotated && state?.key_mark?.equals(keyMark) === false) throw otherKey()
}

/** The refusal of a master key that the database does not know. */
export const otherKey = (): Error =>
  new Error('This database belongs to another master key: see MASTER_KEY_FILE. Nothing was changed.')

const migrationsFolder = join(projectRoot, 'migrations')
const grantsName = 'grants.sql'

/** What was encrypted under one master key is noise under another: nothing may be written that only the other could read. */
async function refuseOtherKey(client: pg.Client, keyMark: Buffer): Promise<void> {
  const { rows: there } = await client.query<{ there: boolean }>(
    "select exists (select from pg_attribute where attrelid = to_regclass('service_state') and attname = 'key_mark') as there",
  )
  if (there[0]?.there !== true) return
  const { rows } = await client.query<{ key_mark: Buffer | null }>('select key_mark from service_state')
  const known = rows[0]?.key_mark
  if (known && !known.equals(keyMark) && !(await isRotating(client, keyMark))) throw otherKey()
}

/** During a rotation the file with the key before the newest is still in use. */
async function isRotating(client: pg.Client, keyMark: Buffer): Promise<boolean> {
  const { rows } = await client.query<{ is: boolean }>(
    `select exists (
       select from master_keys as newest join master_keys as previous on previous.generation = newest.generation - 1
       where newest.for_previous is not null and previous.mark = $1) as is`,
    [keyMark],
  )
  return rows[0]?.is ?? false
}

async function readMigrations(): Promise<Migration[]> {
  const names = (await readdir(migrationsFolder)).filter((name) => /^\d{4}-.+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(migrationsFolder, name), 'utf8')
      return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
    }),
  )
}

function assertUnchanged(migrations: Migration[], known: Map<string, string>): void {
  const here = new Map(migrations.map(({ name, checksum }) => [name, checksum]))
  for (const [name, checksum] of known) {
    if (name === grantsName) continue
    const now = here.get(name)
    if (now === undefined) throw new Error(`The database has migration ${name}, which this version does not know.`)
    if (now !== checksum) throw new Error(`Migration ${name} was edited after it had been applied.`)
  }
}

async function apply(client: pg.Client, { name, text, checksum }: Migration): Promise<void> {
  await client.query('begin')
  try {
    await client.query(text)
    await client.query(
      `insert into schema_migrations (name, checksum) values ($1, $2)
       on conflict (name) do update set checksum = excluded.checksum, applied_at = now()`,
      [name, checksum],
    )
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw new Error(`Migration ${name} failed: ${error instanceof Error ? error.message : 'unknown'}`, { cause: error })
  }
}

/** Roles belong to the whole server, so two migrations of different databases may meet here: the loser's role is there. */
async function ensureRole(client: pg.Client, { serviceRole, servicePassword }: MigrateOptions): Promise<void> {
  const name = pg.escapeIdentifier(serviceRole)
  const there = await client.query('select 1 from pg_roles where rolname = $1', [serviceRole])
  if (there.rowCount === 0) {
    await client.query(`do $$ begin create role ${name} login; exception when duplicate_object then null; end $$`)
  }
  await client.query(`alter role ${name} password ${pg.escapeLiteral(servicePassword)}`)
  // Our statements are short: compiling one costs more than it ever gains (136 ms were seen for a pass of the relay).
  await client.query(`alter role ${name} set jit = off`)
  // A session asks for its limits, which a pooler does not let it.
  for (const limit of ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout']) {
    await client.query(`alter role ${name} set ${limit} = '30s'`)
  }
  // They are the same few statements over arrays, which the server would plan again at every call (45 percent of its time).
  await client.query(`alter role ${name} set plan_cache_mode = force_generic_plan`)
}

/**
 * Whether the server has what was granted. A dump that was restored into another one says so, but that server may not have the role, and
 * lets every role make temporary tables.
 */
async function hasGrants(client: pg.Client, serviceRole: string): Promise<boolean> {
  const { rows } = await client.query<{ has: boolean }>(
    `select has_table_privilege(rolname, 'schema_migrations', 'select')
       and not (has_database_privilege(rolname, current_database(), 'temporary') and pg_has_role(current_user, datdba, 'usage')) as has
     from pg_roles, pg_database where rolname = $1 and datname = current_database()`,
    [serviceRole],
  )
  return rows[0]?.has ?? false
}

const forRole = (text: string, role: string): string => text.replaceAll('"service"', pg.escapeIdentifier(role))

/** Whether the role that asks owns the database. */
export async function isOwner(db: Db): Promise<boolean> {
  const [row] = await db.sql<{ owns: boolean }>`
    select pg_has_role(current_user, datdba, 'usage') as owns from pg_database where datname = current_database()`
  return row?.owns ?? false
}

/** The URL of the same database for the service's own role. */
export function serviceUrl(ownerUrl: string, role: string, password: string): string {
  const url = new URL(ownerUrl)
  url.username = encodeURIComponent(role)
  url.password = encodeURIComponent(password)
  return url.href
}
