import type { SealedEvent } from '../events/open-bodies.ts'

/** One event on its way to one endpoint, as this process holds it under a lease. */
export type Delivery = {
  endpointId: bigint
  eventRow: bigint
  event: SealedEvent
  /** Attempts made before this one, and how many of them lay outside the schedule. */
  attempts: number
  wakes: number
  /** Whoever takes the delivery over raises it; then this process can write nothing about it any more. */
  fence: bigint
}

/** Names a delivery among all; also the order of one thing's events at one endpoint: `endpoint:stream`. */
export const streamKey = ({ endpointId, event }: Delivery): string => `${endpointId}:${event.stream}`

/** Where the sealed answer to a delivery's attempt belongs. */
export const responsePlace = ({ endpointId, event }: Pick<Delivery, 'endpointId' | 'event'>): string =>
  `webhook_attempts:${endpointId}:${event.stream}:${event.sequence}`
