import { newKey, seal, unseal, unwrapKey, wrapKey } from './seal.ts'
import type { Secrets } from './master-key.ts'
import * as queries from './queries.ts'
import type { RowIds } from '../db/row-ids.ts'
import type { Atomic, Db } from '../db/sql.ts'

/**
 * The key of one person's data (or of one transaction's, while its person is not known). Every personal text is sealed with
 * such a key; the key itself is stored wrapped by the master key. Without the key the texts are noise: that is erasure.
 */
export type DataKey = {
  id: bigint
  seal(value: unknown, place: string): Buffer
  /** Gives what was sealed; the caller names its shape. */
  open<T>(sealed: Buffer, place: string): T
  /** The same for bytes as they are. */
  sealBytes(bytes: Buffer, place: string): Buffer
  openBytes(sealed: Buffer, place: string): Buffer
}

/** Opens and makes data keys, and keeps the most recent ones at hand. */
export type Keyring = {
  /** Makes a key inside the caller's atomic block; usable at once. */
  make(db: Atomic): Promise<DataKey>
  /** The same for many, with one statement. */
  makeMany(db: Atomic, count: number): Promise<DataKey[]>
  /** Opens a wrapped key that was read along with something else. Refuses one that has been erased. */
  unwrap(id: bigint, wrapped: Buffer | null): DataKey
  get(db: Db, id: bigint): Promise<DataKey>
  getMany(db: Db, ids: bigint[]): Promise<Map<bigint, DataKey>>
}

const kept = 4_096

/** The keys of this service. */
export function openKeyring({ wrapping }: Pick<Secrets, 'wrapping'>, rowIds: RowIds): Keyring {
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
    for (const { id, wrapped } of await queries.find(db, missing)) found.set(id, unwrap(id, wrapped))
    return found
  }

  async function makeMany(db: Atomic, count: number): Promise<DataKey[]> {
    const made = await Promise.all(
      Array.from({ length: count }, async () => ({ id: await rowIds.next(), bytes: newKey() })),
    )
    queries.insert(
      db,
      made.map(({ id }) => id),
      made.map(({ bytes }) => wrapKey(wrapping, bytes)),
    )
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
      if (!key) throw new Error('A data key was not made.')
      return key
    },
    get: async (db, id) => {
      const key = recent.get(id) ?? (await getMany(db, [id])).get(id)
      if (!key) throw new Error('There is no such data key.')
      return key
    },
  }
}

/** The person whose data was asked for has been erased. */
export class ErasedPerson extends Error {
  constructor() {
    super('The personal data of this person has been erased.')
    this.name = 'ErasedPerson'
  }
}

const dataKey = (id: bigint, bytes: Buffer): DataKey => ({
  id,
  seal: (value, place) => seal(bytes, JSON.stringify(value), place),
  open: <T>(sealed: Buffer, place: string) => JSON.parse(unseal(bytes, sealed, place).toString('utf8')) as T,
  sealBytes: (value, place) => seal(bytes, value, place),
  openBytes: (sealed, place) => unseal(bytes, sealed, place),
})
