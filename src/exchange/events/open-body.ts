import type { Keyring } from '../../platform/privacy/data-key.ts'
import { bodyOf, bodyPlace } from './event.ts'
import { unpackBody } from './pack-body.ts'
import type { EventRow } from './queries.ts'

/** What is needed of a stored event to open it. `wrappedKey` is null where its person has been erased. */
export type SealedEvent = Omit<EventRow, 'partnerId'> & { wrappedKey: Buffer | null }

/** Opens a stored event: the exact text. */
export const openBody = (keyring: Keyring, event: SealedEvent): string => openBytes(keyring, event).toString('utf8')

/**
 * The same, as the bytes that are signed and sent. For an erased person the body only says that something
 * happened, not what.
 */
export const openBytes = (keyring: Keyring, event: SealedEvent): Buffer =>
  event.wrappedKey === null
    ? Buffer.from(bodyOf(event))
    : unpackBody(keyring.unwrap(event.dataKeyId, event.wrappedKey).openBytes(event.body, bodyPlace(event)))
