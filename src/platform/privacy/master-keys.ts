import { otherKey } from '../db/migrate.ts'
import type { Atomic, Db } from '../db/sql.ts'
import { Refusal } from '../lib/refusal.ts'
import { type Secrets, vaultOf } from './master-key.ts'
import { seal, unseal } from './seal.ts'

type MasterKeyRow = { generation: number; mark: Buffer; sealed: Buffer | null; for_previous: Buffer | null }

const placeOf = (generation: number): string => `master_keys:${generation}`
const previousPlace = 'master_keys:for_previous'
/** One byte of what is sealed says the generation. */
const mostGenerations = 255

const readKeys = (db: Db): Promise<MasterKeyRow[]> =>
  db.sql`select generation, mark, sealed, for_previous from master_keys order by generation`

/**
 * Learns the master keys of every generation by the key of the file. Refuses one that is neither the newest nor, during a rotation,
 * the one before it.
 */
export async function learnMasterKeys(db: Db, secrets: Secrets): Promise<void> {
  const rows = await readKeys(db)
  const newest = rows.at(-1)
  if (!newest) return
  const master = newestBy(secrets, rows.at(-2), newest)
  if (!master) throw otherKey()
  const vault = vaultOf(master)
  const masters = new Map([[newest.generation, master]])
  for (const { generation, sealed } of rows) {
    if (sealed) masters.set(generation, unseal(vault, sealed, placeOf(generation)))
  }
  secrets.learn(masters)
}

function newestBy(secrets: Secrets, before: MasterKeyRow | undefined, newest: MasterKeyRow): Buffer | undefined {
  if (newest.mark.equals(secrets.mark)) return secrets.master
  if (!newest.for_previous || before?.mark.equals(secrets.mark) !== true) return undefined
  return unseal(vaultOf(secrets.master), newest.for_previous, previousPlace)
}

/**
 * Makes `next` the newest master key, in the caller's block; processes with the file of the one before learn it from the database.
 * Does nothing where it is the newest already. Refuses while another rotation has not ended, and a key that was used before.
 */
export async function beginRotation(db: Atomic, secrets: Secrets, next: Secrets, at: Date): Promise<void> {
  await db.sql`select 1 from service_state for update`
  const rows = await readKeys(db)
  const newest = rows.at(-1)
  if (newest?.mark.equals(next.mark)) return
  if (newest?.for_previous) throw new Refusal('CONFLICT', 'Another rotation has not ended.')
  const isUsed = next.mark.equals(secrets.mark) || rows.some(({ mark }) => mark.equals(next.mark))
  if (isUsed) throw new Refusal('CONFLICT', 'This master key was used before: name a new file.')
  const last = newest?.generation ?? 0
  if (last >= mostGenerations)
    throw new Refusal('CONFLICT', `A master key is rotated ${mostGenerations} times at most.`)
  const vault = vaultOf(next.master)
  for (const [generation, master] of secrets.masters) {
    const mark = generation === last ? secrets.mark : rows.find((row) => row.generation === generation)?.mark
    const sealed = seal(vault, master, placeOf(generation))
    db.send`
      insert into master_keys (generation, mark, sealed, at) values (${generation}, ${mark}, ${sealed}, ${at})
      on conflict (generation) do update set sealed = excluded.sealed, for_previous = null`
  }
  const forPrevious = seal(vaultOf(secrets.master), next.master, previousPlace)
  db.send`
    insert into master_keys (generation, mark, for_previous, at) values (${last + 1}, ${next.mark}, ${forPrevious}, ${at})`
  db.send`update service_state set key_mark = ${next.mark}, version = version + 1`
}

/** Ends a rotation: from now on only the file with the newest key opens the exchange. */
export const endRotation = (db: Db): Promise<unknown[]> => db.sql`update master_keys set for_previous = null`
