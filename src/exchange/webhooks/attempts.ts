import type { Ctx } from '../context.ts'
import { eventId, type EventType } from '../events/event.ts'
import { findRecorded } from '../events/feed.ts'
import { openBody } from '../events/open-body.ts'
import type { Keyring } from '../../platform/privacy/data-key.ts'
import { badField } from '../../platform/lib/refusal.ts'
import * as queries from './attempts/queries.ts'
import type { AttemptPosition, AttemptRow } from './attempts/queries.ts'
import { plainHeaders } from './call.ts'
import { responsePlace } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'

export type { AttemptPosition } from './attempts/queries.ts'

/** An attempt to deliver, as people look at it. Times are business time but for `sentAt`. */
export type SeenAttempt = {
  eventId: string
  type: EventType
  /** 1 for the first attempt at this event. */
  number: number
  at: Date
  outcome: string
  status: number | null
  tookMs: number
  /** What was sent; the signatures are not kept. Null in the parts that older attempts did not keep. */
  request: { url: string | null; headers: Record<string, string>; body: string }
  /** The beginning of the answer's body; null when there was none, or its person has been erased. */
  response: string | null
  nextAt: Date | null
}

/** Which attempts to show: after a place, of one event, of one kind. */
export type AttemptQuery = {
  from?: AttemptPosition | undefined
  event?: string | undefined
  outcome?: 'delivered' | 'failed' | undefined
  limit: number
}

/**
 * Shows what came of attempts at an endpoint, the latest first, and the place to go on from (undefined: there is no more). Refuses
 * what is no event of the partner's, or is one no more.
 */
export async function listAttempts(
  ctx: Pick<Ctx, 'db' | 'keyring'>,
  { id, partnerId }: Pick<Endpoint, 'id' | 'partnerId'>,
  { from, event, outcome, limit }: AttemptQuery,
): Promise<{ attempts: SeenAttempt[]; next: AttemptPosition | undefined }> {
  const eventRow = event === undefined ? null : await findRecorded(ctx, partnerId, event)
  if (eventRow === undefined) throw badField('event_id', 'There is no such event, or it is no longer kept.')
  const filter = { eventRow, outcome: outcome ?? null }
  const rows = await queries.before(ctx.db, id, filter, { from, limit: limit + 1 })
  const shown = rows.slice(0, limit)
  const last = shown.at(-1)
  return {
    attempts: shown.map((row) => openAttempt(ctx.keyring, id, row)),
    next: rows.length > limit && last ? { at: last.at, eventRow: last.eventRow, number: last.number } : undefined,
  }
}

function openAttempt(keyring: Keyring, endpointId: bigint, row: AttemptRow): SeenAttempt {
  const { number, at, outcome, status, tookMs, nextAt, url, sentAt, type } = row
  const id = eventId(row)
  const headers = sentAt ? plainHeaders(id, sentAt) : {}
  const request = { url, headers, body: openBody(keyring, { ...row, at: row.eventAt }) }
  const response = openResponse(keyring, endpointId, row)
  return { eventId: id, type, number, at, outcome, status, tookMs, request, response, nextAt }
}

function openResponse(
  keyring: Keyring,
  endpointId: bigint,
  { response, dataKeyId, wrappedKey, stream, sequence }: AttemptRow,
): string | null {
  if (response === null || wrappedKey === null) return null
  return keyring.unwrap(dataKeyId, wrappedKey).open<string>(response, responsePlace(endpointId, { stream, sequence }))
}

/** How an endpoint does: since when it fails, its last attempt, and how many events wait for it (`mostCounted` is that or more). */
export type Health = {
  failingSince: Date | null
  waiting: number
  lastAttempt: { at: Date; outcome: string; status: number | null; tookMs: number } | null
}

const mostCounted = 1_000

/** Reads how an endpoint does. */
export async function readHealth({ db }: Pick<Ctx, 'db'>, { id, failingSince }: Endpoint): Promise<Health> {
  const row = await queries.health(db, id, mostCounted)
  const { at = null, outcome = null, status = null, tookMs = null } = row ?? {}
  const lastAttempt = at && outcome !== null && tookMs !== null ? { at, outcome, status, tookMs } : null
  return { failingSince, waiting: row?.waiting ?? 0, lastAttempt }
}
