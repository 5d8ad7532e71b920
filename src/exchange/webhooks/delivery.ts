import type { EventKey } from '../events/event.ts'
import type { SealedEvent } from '../events/open-body.ts'

/** One event on its way to one endpoint, as this process holds it under a lease. */
export type Delivery = {
  endpointId: bigint
  eventRow: bigint
  event: SealedEvent
  /** Attempts made before this one, and how many of them lay outside the schedule. */
  attempts: number
  wakes: number
  /** Attempts before the event was queued for this endpoint again. */
  earlier: number
  /** Whoever takes the delivery over raises it; then this process can write nothing about it any more. */
  fence: bigint
}

/** Names a delivery among all; also the order of one thing's events at one endpoint: `endpoint:stream`. */
export const streamKey = ({ endpointId, event }: Delivery): string => `${endpointId}:${event.stream}`

/** Where the sealed answer to an attempt belongs. */
export const responsePlace = (endpointId: bigint, { stream, sequence }: EventKey): string =>
  `webhook_attempts:${endpointId}:${stream}:${sequence}`
