import type { Db } from '../../platform/db/sql.ts'

/** An event of a partner, and how the last attempt to deliver it ended; null before the first one. */
export type RecentEvent = { type: string; stream: bigint; at: Date; outcome: string | null; status: number | null }

/** A partner's newest events, the latest first. */
export const recentEvents = (db: Db, partnerId: bigint, limit: number): Promise<RecentEvent[]> =>
  db.sql`
    select recent.type, recent.stream, recent.at, attempt.outcome, attempt.status
    from (
      select events.id, type, stream, at, position from event_feed join events on events.id = event_id
      where event_feed.partner_id = ${partnerId} order by position desc limit ${limit}
    ) as recent
    left join lateral (
      select webhook_attempts.outcome, webhook_attempts.status from webhook_endpoints
      join webhook_attempts on endpoint_id = webhook_endpoints.id and event_id = recent.id
      where webhook_endpoints.partner_id = ${partnerId} order by webhook_attempts.at desc, webhook_attempts.number desc limit 1
    ) as attempt on true
    order by position desc`
