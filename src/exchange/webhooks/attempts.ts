import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { eventId, type EventKey, type EventType } from '../events/event.ts'
import { findRecorded } from '../events/feed.ts'
import { openBody, type SealedEvent } from '../events/open-body.ts'
import { after } from '../../platform/lib/clock.ts'
import { badField } from '../../platform/lib/refusal.ts'
import type { Keyring } from '../../platform/privacy/data-key.ts'
import type { Answer, Outcome } from './connection-pool.ts'
import type { Endpoint } from './endpoint.ts'
import type { Delivery } from './queue.ts'
import { plainHeaders } from './sign.ts'

/** One attempt, its result, when it ended (business time), where it went and when it was signed (real time). */
export type Attempt = { delivery: Delivery; event: SealedEvent; answer: Answer; at: Date; url: string; sentAt: Date }

/** An attempt as it is recorded. `nextAt` null: the event left the queue. */
export type RecordedAttempt = Pick<Delivery, 'endpointId' | 'eventRow'> & {
  number: number
  at: Date
  tookMs: number
  outcome: Outcome
  status: number | null
  response: Buffer | null
  nextAt: Date | null
  url: string
  sentAt: Date
}

export const insertAttempts = (db: Atomic, rows: RecordedAttempt[]): void =>
  db.send`
    insert into webhook_attempts (endpoint_id, event_id, number, at, took_ms, outcome, status, response, next_at, url, sent_at)
    select * from unnest(
      ${rows.map((row) => row.endpointId)}::bigint[], ${rows.map((row) => row.eventRow)}::bigint[], ${rows.map((row) => row.number)}::integer[],
      ${rows.map((row) => row.at)}::timestamptz[], ${rows.map((row) => row.tookMs)}::integer[], ${rows.map((row) => row.outcome)}::text[],
      ${rows.map((row) => row.status)}::integer[], ${rows.map((row) => row.response)}::bytea[], ${rows.map((row) => row.nextAt)}::timestamptz[],
      ${rows.map((row) => row.url)}::text[], ${rows.map((row) => row.sentAt)}::timestamptz[]
    )`

/** Where the sealed response to an attempt belongs. */
export const responsePlace = (endpointId: bigint, { stream, sequence }: EventKey): string =>
  `webhook_attempts:${endpointId}:${stream}:${sequence}`

/** A position in the list of attempts. */
export type AttemptPosition = { at: Date; eventRow: bigint; number: number }

/** An attempt as it is shown. Times are business time but for `sentAt`. */
export type SeenAttempt = {
  eventId: string
  type: EventType
  /** 1 for the first attempt at this event. */
  number: number
  at: Date
  outcome: string
  status: number | null
  tookMs: number
  /** What was sent, without signatures. Null where older attempts did not keep it. */
  request: { url: string | null; headers: Record<string, string>; body: string }
  /** The beginning of the response's body; null when there was none, or its person has been erased. */
  response: string | null
  nextAt: Date | null
}

/** Which attempts to show: before a position, of one event, of one kind. */
export type AttemptQuery = {
  from?: AttemptPosition | undefined
  event?: string | undefined
  outcome?: 'delivered' | 'failed' | undefined
  limit: number
}

type AttemptRow = AttemptPosition &
  SealedEvent &
  Pick<SeenAttempt, 'outcome' | 'status' | 'tookMs' | 'nextAt'> & {
    url: string | null
    sentAt: Date | null
    response: Buffer | null
    eventAt: Date
  }

/**
 * Lists attempts at an endpoint, the latest first, with the position to continue from (undefined: there are no more). Refuses an
 * event that the partner does not have, or no longer has.
 */
export async function listAttempts(
  ctx: Pick<Ctx, 'db' | 'keyring'>,
  { id, partnerId }: Pick<Endpoint, 'id' | 'partnerId'>,
  query: AttemptQuery,
): Promise<{ attempts: SeenAttempt[]; next: AttemptPosition | undefined }> {
  const { event, limit } = query
  const eventRow = event === undefined ? null : await findRecorded(ctx, partnerId, event)
  if (eventRow === undefined) throw badField('event_id', 'There is no such event, or it is no longer kept.')
  const rows = await readAttempts(ctx.db, id, eventRow, { ...query, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    attempts: shown.map((row) => openAttempt(ctx.keyring, id, row)),
    next: rows.length > limit && last ? { at: last.at, eventRow: last.eventRow, number: last.number } : undefined,
  }
}

const readAttempts = (
  db: Db,
  endpointId: bigint,
  eventRow: bigint | null,
  { from, outcome = null, limit }: Pick<AttemptQuery, 'from' | 'limit'> & { outcome?: string | null | undefined },
): Promise<AttemptRow[]> =>
  db.sql`
    select attempt.at, attempt.event_id as "eventRow", attempt.number, attempt.url, attempt.sent_at as "sentAt",
      attempt.took_ms as "tookMs", attempt.outcome, attempt.status, attempt.response,
      case when queued.earlier + queued.attempts = attempt.number then queued.next_at else attempt.next_at end as "nextAt",
      events.stream, events.sequence, events.type, events.at as "eventAt", events.data_key_id as "dataKeyId", wrapped as "wrappedKey", events.body
    from (
      select * from webhook_attempts
      where endpoint_id = ${endpointId} and (${eventRow}::bigint is null or event_id = ${eventRow})
        and (${outcome}::text is null or (outcome = 'delivered') = (${outcome} = 'delivered'))
        and (${from?.at ?? null}::timestamptz is null or (at, event_id, number)
          < (${from?.at ?? null}::timestamptz, ${from?.eventRow ?? null}::bigint, ${from?.number ?? null}::integer))
      order by at desc, event_id desc, number desc limit ${limit}
    ) as attempt
    join events on events.id = attempt.event_id
    join data_keys on data_keys.id = data_key_id
    left join webhook_queue as queued on queued.endpoint_id = attempt.endpoint_id
      and queued.stream = events.stream and queued.sequence = events.sequence
    order by attempt.at desc, attempt.event_id desc, attempt.number desc`

function openAttempt(keyring: Keyring, endpointId: bigint, row: AttemptRow): SeenAttempt {
  const { number, at, outcome, status, tookMs, nextAt, url, sentAt, type, dataKeyId, wrappedKey } = row
  const id = eventId(row)
  const headers = sentAt ? plainHeaders(id, sentAt) : {}
  const request = { url, headers, body: openBody(keyring, { ...row, at: row.eventAt }) }
  const response =
    row.response && wrappedKey
      ? keyring.unwrap(dataKeyId, wrappedKey).open<string>(row.response, responsePlace(endpointId, row))
      : null
  return { eventId: id, type, number, at, outcome, status, tookMs, request, response, nextAt }
}

/** How an endpoint is doing; `waiting` counts up to 1,000 events. */
export type EndpointHealth = {
  failingSince: Date | null
  waiting: number
  lastAttempt: { at: Date; outcome: string; status: number | null; tookMs: number } | null
}

/** Reads how an endpoint is doing. */
export async function readHealth({ db }: Pick<Ctx, 'db'>, { id, failingSince }: Endpoint): Promise<EndpointHealth> {
  const [queue, [lastAttempt = null]] = await Promise.all([
    db.sql`select from webhook_queue where endpoint_id = ${id} limit 1000`,
    db.sql<NonNullable<EndpointHealth['lastAttempt']>>`
      select at, outcome, status, took_ms as "tookMs" from webhook_attempts where endpoint_id = ${id} order by at desc limit 1`,
  ])
  return { failingSince, waiting: queue.length, lastAttempt }
}

const batchSize = 500
const maxBatches = 100

/**
 * Deletes attempts older than the policy `retention` says (business time) and replays that ended before that, in small batches, so many a call
 * at most. Returns how many attempts were deleted.
 */
export async function forgetOldAttempts({
  db,
  clock,
  policies,
}: Pick<Ctx, 'db' | 'clock' | 'policies'>): Promise<number> {
  const now = clock.now()
  const before = after(now, -policies.at(now, 'retention').rules.attemptsMs)
  let left = maxBatches
  let total = 0
  for (const { id } of await db.sql<{ id: bigint }>`select id from webhook_endpoints`) {
    for (let deleted = batchSize; deleted === batchSize && left > 0; left -= 1) {
      deleted = (await deleteAttempts(db, id, before)).length
      total += deleted
    }
  }
  await db.sql`delete from webhook_replays where ended_at < ${before}`
  return total
}

const deleteAttempts = (db: Db, endpointId: bigint, before: Date): Promise<unknown[]> =>
  db.sql`
    with old as (
      select endpoint_id, event_id, number from webhook_attempts
      where endpoint_id = ${endpointId} and at < ${before} order by at limit ${batchSize}
    )
    delete from webhook_attempts as attempt using old
    where (attempt.endpoint_id, attempt.event_id, attempt.number) = (old.endpoint_id, old.event_id, old.number)
    returning 1`
