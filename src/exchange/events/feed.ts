import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { type EventType, eventId, readEventId } from './event.ts'
import { openBody } from './open-body.ts'
import * as queries from './queries.ts'

/** A page of a partner's events, oldest first, as the exact texts that webhooks carry. */
export type FeedPage = {
  bodies: string[]
  /** The last event that was looked at, also when `types` left it out; what was given when there was none. */
  nextAfter: string | undefined
  hasMore: boolean
}

/**
 * What to read: everything after an event (undefined: from the beginning; `latest`: after what there is now), of some types only
 * (undefined: all).
 */
export type FeedQuery = { after?: string | undefined; types?: readonly EventType[] | undefined; limit: number }

/**
 * Reads a partner's events in the one order that all its readers see. Paging by `nextAfter` meets every event exactly once.
 * Refuses an `after` that is no event of this partner, or a deleted one: then events behind it may be deleted too, and only the
 * reader can know whether that matters. A reader that polls within the retention is never refused (`forget.ts`).
 */
export async function readFeed(
  ctx: Pick<Ctx, 'db' | 'keyring'>,
  partnerId: bigint,
  { after, types, limit }: FeedQuery,
): Promise<FeedPage> {
  if (after === latest) return latestPage(ctx, partnerId)
  const position = after === undefined ? 0n : await positionOf(ctx, partnerId, after)
  const rows = await queries.afterPosition(ctx.db, partnerId, position, limit + 1)
  const looked = rows.slice(0, limit)
  const wanted = types ? looked.filter(({ type }) => types.includes(type)) : looked
  const last = looked.at(-1)
  return {
    bodies: wanted.map((event) => openBody(ctx.keyring, event)),
    nextAfter: last ? eventId(last) : after,
    hasMore: rows.length > limit,
  }
}

const noSuchEvent =
  'There is no such event, or it is no longer kept: without `after`, the feed begins with the oldest one that is.'

async function positionOf({ db }: Pick<Ctx, 'db'>, partnerId: bigint, after: string): Promise<bigint> {
  const found = await findEvent({ db }, partnerId, after)
  if (!found) throw badField('after', noSuchEvent)
  return found.position
}

/** Means the newest event, for readers who want only what comes after it. */
const latest = 'latest'

async function latestPage({ db }: Pick<Ctx, 'db'>, partnerId: bigint): Promise<FeedPage> {
  const last = await queries.last(db, partnerId)
  return { bodies: [], nextAfter: last && eventId(last), hasMore: false }
}

/** The row of an event that is in a partner's feed; undefined for one that is not, or another partner's. */
export const findEvent = async (
  { db }: { db: Db },
  partnerId: bigint,
  id: string,
): Promise<{ id: bigint; position: bigint } | undefined> => {
  const key = readEventId(id)
  return key && queries.find(db, partnerId, key)
}

/** The row of a partner's event, also of one that has just happened and has no place in the feed yet. */
export const findRecorded = async ({ db }: { db: Db }, partnerId: bigint, id: string): Promise<bigint | undefined> => {
  const key = readEventId(id)
  return key && queries.findRecorded(db, partnerId, key)
}

/**
 * The events of one stream so far, in order, for display to people. `position` is null until partners can read the event.
 */
export const eventsOf = async ({ db }: Pick<Ctx, 'db'>, stream: bigint): Promise<RecordedEvent[]> => {
  const rows = await queries.ofStream(db, stream)
  return rows.map((row) => ({ id: eventId({ stream, sequence: row.sequence }), ...row }))
}

/** An event without what it tells. */
export type RecordedEvent = { id: string; sequence: number; type: EventType; at: Date; position: bigint | null }
