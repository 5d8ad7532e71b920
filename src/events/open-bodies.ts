import type { Ctx } from '../context.ts'
import { type DataKey, ErasedPerson } from '../privacy/data-key.ts'
import { bodyOf, bodyPlace } from './event.ts'
import { unpackBody } from './pack-body.ts'
import type { EventRow } from './queries.ts'

/** What is needed of a stored event to open it. */
export type SealedEvent = Omit<EventRow, 'partnerId'>

/** Opens stored events: the exact texts, in the order given. */
export const openBodies = async (ctx: Pick<Ctx, 'db' | 'keyring'>, events: SealedEvent[]): Promise<string[]> =>
  (await openBytes(ctx, events)).map((bytes) => bytes.toString('utf8'))

/**
 * The same, as the bytes that are signed and sent. Of someone who has been erased since, only that something happened can
 * still be told, not what.
 */
export async function openBytes(
  { db, keyring }: Pick<Ctx, 'db' | 'keyring'>,
  events: SealedEvent[],
): Promise<Buffer[]> {
  const ids = [...new Set(events.map(({ dataKeyId }) => dataKeyId))]
  const keys = await keyring.getMany(db, ids).catch(async (error: unknown) => {
    if (!(error instanceof ErasedPerson)) throw error
    return keysOneByOne({ db, keyring }, ids)
  })
  return events.map((event) => {
    const key = keys.get(event.dataKeyId)
    return key ? unpackBody(key.openBytes(event.body, bodyPlace(event))) : Buffer.from(bodyOf(event))
  })
}

async function keysOneByOne(
  { db, keyring }: Pick<Ctx, 'db' | 'keyring'>,
  ids: bigint[],
): Promise<Map<bigint, DataKey>> {
  const keys = new Map<bigint, DataKey>()
  for (const id of ids) {
    try {
      keys.set(id, await keyring.get(db, id))
    } catch (error) {
      if (!(error instanceof ErasedPerson)) throw error
    }
  }
  return keys
}
