import { newKey, seal, type SealingKey, unseal, unwrapKey, wrapKey } from './seal.ts'
import type { RowIds } from '../db/row-ids.ts'
import type { Atomic, Db } from '../db/sql.ts'

/**
 * The key of one person's data, or of one transaction's while its customer is unknown. Personal data is encrypted with such a
 * key, and the key itself with the master key. Deleting the key erases the data.
 */
export type DataKey = {
  id: bigint
  seal(value: unknown, place: string): Buffer
  /** The caller names the type of the value. */
  open<T>(sealed: Buffer, place: string): T

  sealBytes(bytes: Buffer, place: string): Buffer
  openBytes(sealed: Buffer, place: string): Buffer
}

/** Creates and opens data keys, and caches recent ones. */
export type Keyring = {
  /** Creates a key in the caller's atomic block; usable at once. */
  make(db: Atomic): Promise<DataKey>
  /** Creates many with one statement. */
  makeMany(db: Atomic, count: number): Promise<DataKey[]>
  /** Opens a wrapped key that a query has read. Throws `ErasedPerson` for an erased one. */
  unwrap(id: bigint, wrapped: Buffer | null): DataKey
  get(db: Db, id: bigint): Promise<DataKey>
  getMany(db: Db, ids: bigint[]): Promise<Map<bigint, DataKey>>
  /** Forgets every key, so that an erased one opens nothing here any more. */
  forget(): void
}

const kept = 4_096

export function openKeyring({ wrapping }: { wrapping: SealingKey }, rowIds: RowIds): Keyring {
  const recent = new Map<bigint, DataKey>()

  function keep(key: DataKey): DataKey {
    recent.set(key.id, key)
    if (recent.size > kept) recent.delete(recent.keys().next().value as bigint)
    return key
  }

  async function getMany(db: Db, ids: bigint[]): Promise<Map<bigint, DataKey>> {
    const found = new Map<bigint, DataKey>()
    const missing: bigint[] = []
    for (const id of ids) {
      const key = recent.get(id)
      if (key) found.set(id, key)
      else missing.push(id)
    }
    if (missing.length === 0) return found
    const rows = await db.sql<{ id: bigint; wrapped: Buffer | null }>`
      select id, wrapped from data_keys where id = any(${missing})`
    for (const { id, wrapped } of rows) found.set(id, unwrap(id, wrapped))
    return found
  }

  async function makeMany(db: Atomic, count: number): Promise<DataKey[]> {
    const made = await Promise.all(
      Array.from({ length: count }, async () => ({ id: await rowIds.next(), bytes: newKey() })),
    )
    const ids = made.map(({ id }) => id)
    const wrapped = made.map(({ bytes }) => wrapKey(wrapping, bytes))
    db.send`insert into data_keys (id, wrapped) select * from unnest(${ids}::bigint[], ${wrapped}::bytea[])`
    return made.map(({ id, bytes }) => keep(dataKey(id, bytes)))
  }

  function unwrap(id: bigint, wrapped: Buffer | null): DataKey {
    if (wrapped === null) throw new ErasedPerson()
    return recent.get(id) ?? keep(dataKey(id, unwrapKey(wrapping, wrapped)))
  }

  return {
    getMany,
    unwrap,
    makeMany,
    make: async (db) => {
      const [key] = await makeMany(db, 1)
      if (!key) throw new Error('No data key was created.')
      return key
    },
    get: async (db, id) => {
      const key = recent.get(id) ?? (await getMany(db, [id])).get(id)
      if (!key) throw new Error(`Data key ${id} does not exist.`)
      return key
    },
    forget: () => recent.clear(),
  }
}

/**
 * Assigns data keys to a customer whose e-mail address is proven. Erasing the customer means erasing all their keys.
 */
export function ownKeys(db: Atomic, customerId: bigint, keyIds: bigint[]): void {
  if (keyIds.length === 0) return
  db.send`
    update data_keys set owner = ${customerId}
    where id = any(${keyIds}) and owner is distinct from ${customerId}`
}

/** The data was encrypted with a key that has been erased. */
export class ErasedPerson extends Error {
  constructor() {
    super('The personal data of this person has been erased.')
    this.name = 'ErasedPerson'
  }
}

/** The key of an erased person, for reading what is left: it seals and opens nothing. */
export function closedKey(id: bigint): DataKey {
  const refuse = (): never => {
    throw new ErasedPerson()
  }
  return { id, seal: refuse, open: refuse, sealBytes: refuse, openBytes: refuse }
}

const dataKey = (id: bigint, bytes: Buffer): DataKey => ({
  id,
  seal: (value, place) => seal(bytes, JSON.stringify(value), place),
  open: <T>(sealed: Buffer, place: string) => JSON.parse(unseal(bytes, sealed, place).toString('utf8')) as T,
  sealBytes: (value, place) => seal(bytes, value, place),
  openBytes: (sealed, place) => unseal(bytes, sealed, place),
})
