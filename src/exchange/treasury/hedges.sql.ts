import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Hedge, HedgeState } from './hedge.ts'

export const readHedge = async (db: Db, id: bigint): Promise<Hedge | undefined> => {
  const [row] = await db.sql<Hedge>`
    select id, venue, client_order_id, venue_order_id, pair, side, base, quote, amount, limit_price, worth, filled, state, reason,
      outcome, proposed_by, proposed_at, sent_at, ended_at
    from hedges where id = ${id}`
  return row
}

export const lockHedge = async (db: Atomic, id: bigint): Promise<Hedge | undefined> => {
  db.send`select from hedges where id = ${id} for update`
  return readHedge(db, id)
}

/** The newest hedges, only those that have not ended, or the one with an id. */
export const listHedges = (
  db: Db,
  { open = false, id, limit }: { open?: boolean; id?: bigint; limit: number },
): Promise<Hedge[]> =>
  db.sql`
    select id, venue, client_order_id, venue_order_id, pair, side, base, quote, amount, limit_price, worth, filled, state, reason,
      outcome, proposed_by, proposed_at, sent_at, ended_at
    from hedges
    where (not ${open}::boolean or state in ('proposed', 'approved', 'sent', 'partly_filled', 'unknown'))
      and (${id ?? null}::bigint is null or id = ${id ?? null})
    order by id desc limit ${limit}`

/** How many hedges of a pair there are at a venue, and the one that has not ended. */
export type PairHedges = { count: number; open: bigint | null; state: HedgeState | null; proposed_at: Date | null }

export const hedgesOfPair = async (db: Db, venue: string, pair: string): Promise<PairHedges> => {
  const [row] = await db.sql<PairHedges>`
    with open as (
      select id, state, proposed_at from hedges where venue = ${venue} and pair = ${pair}
        and state in ('proposed', 'approved', 'sent', 'partly_filled', 'unknown'))
    select (select count(*)::integer from hedges where venue = ${venue} and pair = ${pair}) as count,
      (select id from open) as open, (select state from open) as state, (select proposed_at from open) as proposed_at`
  return row ?? { count: 0, open: null, state: null, proposed_at: null }
}

/** The hedge of a pair that was written down last, except one that is on its way and may change nothing. */
export const latestHedge = (
  db: Db,
  venue: string,
  pair: string,
): Promise<Pick<Hedge, 'state' | 'outcome' | 'reason' | 'filled' | 'sent_at' | 'ended_at'>[]> =>
  db.sql`
    select state, outcome, reason, filled, sent_at, ended_at from hedges
    where venue = ${venue} and pair = ${pair} and state not in ('approved', 'sent') order by id desc limit 1`

/** Lets one process at a time write a hedge of a pair down. */
export const lockPair = (db: Atomic, venue: string, pair: string): void =>
  db.send`select pg_advisory_xact_lock(hashtextextended(${`hedge ${venue} ${pair}`}, 0))`

/** What all hedges that the service approved by itself and that may have reached a venue since a time are worth, in euro cents. */
export const worthSentSince = async (db: Db, since: Date): Promise<bigint> => {
  const [row] = await db.sql<{ worth: bigint }>`
    select coalesce(sum(worth), 0)::bigint as worth from hedges
    where exists (select 1 from approvals where kind = 'hedge' and subject = hedges.id::text and approver = 'system')
      and (state = 'approved' or sent_at > ${since} and state <> 'rejected')`
  return row?.worth ?? 0n
}

/** A trade as it is booked. */
export type BookedFill = {
  id: bigint
  hedgeId: bigint
  venue: string
  fill: string
  exact: string
  baseAmount: bigint
  quoteAmount: bigint
  feeAsset: string | null
  feeAmount: bigint | null
  at: Date
}

/** Stores a fill. Gives nothing if the venue's fill is booked already. */
export const insertFill = (db: Atomic, fill: BookedFill): Promise<unknown[]> =>
  db.sql`
    insert into hedge_fills (id, hedge_id, venue, fill, exact, base_amount, quote_amount, fee_asset, fee_amount, at)
    values (${fill.id}, ${fill.hedgeId}, ${fill.venue}, ${fill.fill}, ${fill.exact}, ${fill.baseAmount}, ${fill.quoteAmount},
      ${fill.feeAsset}, ${fill.feeAmount}, ${fill.at})
    on conflict (venue, fill) do nothing returning 1`

/** The exact amounts of the fills of a hedge that are booked. */
export const exactFills = (db: Db, hedgeId: bigint): Promise<{ exact: string }[]> =>
  db.sql`select exact from hedge_fills where hedge_id = ${hedgeId}`

export const saveFilled = (db: Atomic, { id, filled }: Pick<Hedge, 'id' | 'filled'>): void =>
  db.send`update hedges set filled = ${filled} where id = ${id}`

export const saveVenueOrderId = (db: Atomic, id: bigint, venueOrderId: string): void =>
  db.send`update hedges set venue_order_id = ${venueOrderId} where id = ${id}`

/** How many hedges are in each state that can change. */
export const hedgeCounts = (db: Db): Promise<{ state: HedgeState; count: number }[]> =>
  db.sql`
    select state, count(*)::integer as count from hedges
    where state in ('proposed', 'approved', 'sent', 'partly_filled', 'unknown') group by state`

/** Hedges that differ from the sum of their fills, and fills that differ from what was booked for them. */
export const misfilled = (db: Db): Promise<{ id: bigint }[]> =>
  db.sql`
    select hedges.id from hedges left join hedge_fills on hedge_id = hedges.id
    group by hedges.id, filled having filled <> coalesce(sum(base_amount), 0)
    union
    select hedge_id from hedge_fills join hedges on hedges.id = hedge_id
    left join entries on transaction_id is null and kind = 'hedge_fill' and ref = hedge_fills.id
    cross join lateral (
      select coalesce(sum(amount) filter (where 'position' in (debit, credit) and asset = base), 0) as in_base,
        coalesce(sum(amount) filter (where 'position' in (debit, credit) and asset = hedges.quote), 0) as in_quote,
        coalesce(sum(case 'hedging-fees' when debit then amount when credit then -amount end), 0) as fee
      from postings where entry_id = entries.id) as booked
    where (base_amount, quote_amount, coalesce(fee_amount, 0)) <> (in_base, in_quote, fee)
    limit 100`

/** Hedges that were approved and not canceled before they were sent. */
export const decidedHedges = (db: Db, afterId: bigint, count: number): Promise<Hedge[]> =>
  db.sql`
    select id, venue, client_order_id, venue_order_id, pair, side, base, quote, amount, limit_price, worth, filled, state, reason,
      outcome, proposed_by, proposed_at, sent_at, ended_at
    from hedges where id > ${afterId} and (state not in ('proposed', 'canceled') or sent_at is not null) order by id limit ${count}`
