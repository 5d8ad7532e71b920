import type { TestContext } from 'node:test'

import { addEndpoint } from '../../src/exchange/webhooks/manage-endpoints.ts'
import { type Receiver, startReceiver, startTelling, type Stream, type Telling, until } from './telling.ts'

/** A telling with one endpoint, at a receiver. */
export async function startDelivering(t: TestContext, settings: Record<string, string> = {}, options = {}) {
  const telling = await startTelling(t, settings, options)
  const receiver = await startReceiver(t)
  const endpointId = await addReceiver(telling, receiver)
  return { telling, receiver, endpointId }
}

/** Adds an endpoint at a receiver, for the one partner. */
export async function addReceiver({ ctx, partner }: Telling, { url }: Receiver, types?: string[]): Promise<bigint> {
  const { endpoint } = await addEndpoint(ctx, { partnerId: partner.partner.id, url, types }, 'test')
  return endpoint.id
}

/** All that has been committed is placed, and all that this process could do about it is done and written down. */
export async function settled({ ctx, relay, sender }: Telling): Promise<void> {
  const unplaced = () => ctx.db.sql`select from events where not exists (select from event_feed where event_id = id)`
  await until(async () => (await unplaced()).length === 0 && relay.idle() && sender.idle(), 'quiet')
}

/** A delivery that still waits. */
export type QueueRow = { sequence: number; attempts: number; next_at: Date | null; lease_until: Date | null }

/** All of them, in the order of their streams. */
export const queueOf = ({ ctx }: Telling): Promise<QueueRow[]> =>
  ctx.db.sql`select sequence, attempts, next_at, lease_until from webhook_queue order by stream, sequence`

/** An attempt that was written down. */
export type AttemptRow = {
  number: number
  outcome: string
  status: number | null
  took_ms: number
  next_at: Date | null
  response: Buffer | null
}

/** All of them, in the order in which they were made. */
export const attemptsOf = ({ ctx }: Telling): Promise<AttemptRow[]> =>
  ctx.db.sql`select number, outcome, status, took_ms, next_at, response from webhook_attempts order by at, number`

/** The attempts at one endpoint, in the order in which they were made: of which event, and its which. */
export const attemptsAt = (
  { ctx }: Telling,
  endpointId: bigint,
): Promise<{ at: Date; outcome: string; sequence: number; number: number }[]> =>
  ctx.db.sql`
    select webhook_attempts.at, outcome, sequence, number from webhook_attempts join events on events.id = event_id
    where endpoint_id = ${endpointId} order by webhook_attempts.at, number`

/** The types of the events that a receiver got. */
export const typesAt = (receiver: Receiver): string[] =>
  receiver.all.map(({ body }) => (JSON.parse(body) as { type: string }).type)

/** The sequences of one stream's events that a receiver got, as they came. */
export const sequencesOf = (receiver: Receiver, stream: Stream): number[] =>
  receiver.all.filter(({ event }) => event.id.startsWith(`evt_${stream.id}`)).map(({ event }) => event.sequence)

/** 1, 2, 3, ... */
export const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1)
