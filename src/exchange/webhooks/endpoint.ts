import type { EventType } from '../events/event.ts'

/**
 * Where an endpoint can be: `failing` ones are still tried and told of; `paused` ones keep what comes for later; `disabled`
 * ones get nothing (the feed has it all).
 */
export type EndpointStatus = 'active' | 'paused' | 'failing' | 'disabled' | 'removed'

/** A URL at which a partner wants to be told of events. Its secret is stored sealed and shown once. */
export type Endpoint = {
  id: bigint
  partnerId: bigint
  url: string
  types: EventType[]
  status: EndpointStatus
  /** The most deliveries a second; null is as fast as it answers. */
  perSecond: number | null
  /** Whether one thing's events wait for each other. */
  isOrdered: boolean
  /** Until when the secret before the present one signs too (business time); null when there was none. */
  previousUntil: Date | null
  /** The first failure (business time) since the last success. */
  failingSince: Date | null
  createdAt: Date
}

/** What an endpoint gets when it does not say what it wants. */
export const defaultTypes: readonly EventType[] = [
  'transaction.created',
  'transaction.status_changed',
  'transaction.amounts_changed',
  'transaction.refund_changed',
]

/** Where an endpoint's sealed secret belongs. */
export const secretPlace = (endpointId: bigint): string => `webhook_endpoints:${endpointId}:secret`

/** Where the one before it belongs. */
export const previousSecretPlace = (endpointId: bigint): string => `webhook_endpoints:${endpointId}:previous_secret`
