import { type Joined, joined, parted } from '../../platform/lib/joined.ts'
import { type SealingKey, unseal, unwrapKey } from '../../platform/privacy/seal.ts'
import { unpackBody } from './pack-body.ts'

/** Sealed events: the wrapped key, the body and the place of each. */
export type SealedBatch = { wrapping: SealingKey; keys: Joined; bodies: Joined; places: string[] }

const nothing = Buffer.of()

/**
 * Opens a batch, in a separate thread (`open-many.ts`) that knows nothing but what it is given. An event that
 * cannot be opened is left empty; the caller finds out why.
 */
export function openBatch({ wrapping, keys, bodies, places }: SealedBatch): Joined {
  const wrapped = parted(keys)
  const sealed = parted(bodies)
  return joined(
    places.map((place, index) => opened(wrapping, wrapped[index] ?? nothing, sealed[index] ?? nothing, place)),
  )
}

function opened(wrapping: SealingKey, wrapped: Buffer, sealed: Buffer, place: string): Buffer {
  try {
    return unpackBody(unseal(unwrapKey(wrapping, wrapped), sealed, place))
  } catch {
    return nothing
  }
}
