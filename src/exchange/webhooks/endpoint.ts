import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { EventType } from '../events/event.ts'
import { Refusal } from '../../platform/lib/refusal.ts'

/**
 * `failing` endpoints are still tried, and announced to their partner; `paused` ones keep their events for later; `disabled` ones get
 * nothing, and their events stay in the feed.
 */
export type EndpointStatus = 'active' | 'paused' | 'failing' | 'disabled' | 'removed'

/** Whether an endpoint is sent nothing until it is made active. */
export const isStopped = ({ status }: Pick<Endpoint, 'status'>): boolean => status === 'paused' || status === 'disabled'

/** Why an endpoint cannot be paused; undefined: it can. */
export const whyNotPaused = (endpoint: Pick<Endpoint, 'status'>): string | undefined =>
  isStopped(endpoint) ? `This endpoint is ${endpoint.status}.` : undefined

/** Why an endpoint cannot be made active; undefined: it can. */
export const whyNotResumed = ({ status }: Pick<Endpoint, 'status'>): string | undefined =>
  status === 'active' ? 'This endpoint is active.' : undefined

/** The statuses of endpoints that accept nothing, and of those that were disabled because of that. */
export const deafStatuses: readonly EndpointStatus[] = ['failing', 'disabled']

/** A URL that a partner receives events at. Its secret is stored sealed and shown once. */
export type Endpoint = {
  id: bigint
  partnerId: bigint
  url: string
  types: EventType[]
  status: EndpointStatus
  /** The most deliveries a second; null for no limit. */
  perSecond: number | null
  /** Whether one subject's events wait for each other. */
  isOrdered: boolean
  /** Until when the previous secret signs too (business time); null without one. */
  previousUntil: Date | null
  /** The first failure (business time) since the last success. */
  failingSince: Date | null
  createdAt: Date
}

/** The event types of an endpoint that asks for none in particular. */
export const defaultTypes: readonly EventType[] = [
  'transaction.created',
  'transaction.status_changed',
  'transaction.amounts_changed',
  'transaction.refund_changed',
]

/** Where an endpoint's sealed secret belongs. */
export const secretPlace = (endpointId: bigint): string => `webhook_endpoints:${endpointId}:secret`

/** Where its previous secret belongs. */
export const previousSecretPlace = (endpointId: bigint): string => `webhook_endpoints:${endpointId}:previous_secret`

/** Identifies an endpoint, of one partner only if that is given. */
export type EndpointKey = { id: bigint; partnerId?: bigint | undefined }

/** A partner's endpoints without removed ones, oldest first. */
export const listEndpoints = ({ db }: { db: Db }, partnerId: bigint): Promise<Endpoint[]> =>
  db.sql`
    select id, partner_id as "partnerId", url, types, status, rate_per_second as "perSecond", is_ordered as "isOrdered",
      previous_until as "previousUntil", failing_since as "failingSince", created_at as "createdAt"
    from webhook_endpoints where partner_id = ${partnerId} and status <> 'removed' order by created_at, id`

/** One endpoint. Refuses one that does not exist, or is another partner's (NOT_FOUND). */
export async function showEndpoint({ db }: { db: Db }, key: EndpointKey): Promise<Endpoint> {
  const rows = await db.sql<Endpoint>`
    select id, partner_id as "partnerId", url, types, status, rate_per_second as "perSecond", is_ordered as "isOrdered",
      previous_until as "previousUntil", failing_since as "failingSince", created_at as "createdAt"
    from webhook_endpoints where id = ${key.id} and status <> 'removed'`
  return owned(rows, key)
}

/** The same with its sealed secret, locked until the block ends. */
export async function lockEndpoint(db: Atomic, key: EndpointKey): Promise<Endpoint & { secret: Buffer }> {
  const rows = await db.sql<Endpoint & { secret: Buffer }>`
    select id, partner_id as "partnerId", url, types, status, rate_per_second as "perSecond", is_ordered as "isOrdered",
      previous_until as "previousUntil", failing_since as "failingSince", created_at as "createdAt", secret
    from webhook_endpoints where id = ${key.id} and status <> 'removed' for no key update`
  return owned(rows, key)
}

function owned<Found extends Endpoint>([endpoint]: Found[], { partnerId }: EndpointKey): Found {
  if (!endpoint || (partnerId !== undefined && endpoint.partnerId !== partnerId)) {
    throw new Refusal('NOT_FOUND', 'There is no such webhook endpoint.')
  }
  return endpoint
}
