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
