import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Secrets } from '../../platform/privacy/master-key.ts'
import { newKey, seal, unseal } from '../../platform/privacy/seal.ts'

type KeyRow = { id: number; sealed: Buffer; ended: boolean }

/** Where a sealed ledger key belongs. */
export const ledgerKeyPlace = (id: bigint | number): string => `ledger_keys:${id}`

const readKeys = (db: Db): Promise<KeyRow[]> =>
  db.sql`select id, sealed, ended_at is not null as ended from ledger_keys order by id`

/** Learns the keys of the ledger's digests: the newest one makes them from now on. */
export async function learnLedgerKeys(db: Db, secrets: Secrets): Promise<void> {
  const { sealing, ledgerKeys } = secrets
  const keys = (await readKeys(db)).map(({ id, sealed }) => [id, unseal(sealing, sealed, ledgerKeyPlace(id))] as const)
  if (keys.length > 0) secrets.learnLedger(new Map([...ledgerKeys, ...keys]))
}

/** The newest rotation: its key, and whether older keys prove nothing any more. */
export async function ledgerRotation(db: Db): Promise<{ id: number; ended: boolean }> {
  return (await readKeys(db)).at(-1) ?? { id: 0, ended: true }
}

/** Adds a key, in the caller's block, unless the last rotation has not ended: that one is continued. Gives whether it was added. */
export async function addLedgerKey(db: Atomic, { sealing }: Secrets, at: Date): Promise<boolean> {
  await db.sql`select 1 from service_state for update`
  const { id, ended } = await ledgerRotation(db)
  if (!ended) return false
  db.send`
    insert into ledger_keys (id, sealed, begun_at) values (${id + 1}, ${seal(sealing, newKey(), ledgerKeyPlace(id + 1))}, ${at})`
  db.send`update service_state set version = version + 1`
  return true
}

/** Stores digests of older entries by a newer key. */
export const insertDigests = (
  db: Db,
  keyId: number,
  digests: readonly { entryId: bigint; digest: Buffer }[],
): Promise<unknown[]> =>
  db.sql`
    insert into entry_digests (key_id, entry_id, digest)
    select ${keyId}, * from unnest(${digests.map(({ entryId }) => entryId)}::bigint[], ${digests.map(({ digest }) => digest)}::bytea[])
    on conflict do nothing returning 1`

/** Ends a rotation: what older keys have signed proves nothing from now on. */
export const endLedgerRotation = (db: Db, id: number, at: Date): Promise<unknown[]> =>
  db.sql`update ledger_keys set ended_at = ${at} where id = ${id}`
