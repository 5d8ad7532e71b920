import type { Db } from '../../platform/db/sql.ts'
import type { BookedColumn } from './house-accounts.ts'

/** What was booked of one asset on one day. */
export type BookedDay = { day: string; asset: string; change: bigint; worth: bigint } & Record<BookedColumn, bigint>

/** The sums of valuations by day and asset, of everything or of one partner's transactions. */
export const bookedDays = (
  db: Db,
  { since, until, partnerId }: { since: string; until: string; partnerId: bigint | undefined },
): Promise<BookedDay[]> =>
  db.sql`
    select to_char(day, 'YYYY-MM-DD') as day, asset, sum(change)::numeric(38, 0) as change,
      sum(worth)::numeric(38, 0) as worth, sum(spread)::numeric(38, 0) as spread, sum(fees)::numeric(38, 0) as fees,
      sum(method_costs)::numeric(38, 0) as "methodCosts", sum(network_costs)::numeric(38, 0) as "networkCosts",
      sum(hedging)::numeric(38, 0) as hedging, sum(drift)::numeric(38, 0) as drift
    from valuations
    where day between ${since}::date and ${until}::date
      and (${partnerId ?? null}::bigint is null or partner_id = ${partnerId ?? null})
    group by valuations.day, asset`

/** What the accounts of the house held of each asset before a day. */
export const openingBalances = (db: Db, before: string): Promise<{ asset: string; amount: bigint }[]> =>
  db.sql`
    select asset, sum(change)::numeric(38, 0) as amount from valuations where day < ${before}::date group by asset`

/** The marks from a day on, and the latest of each asset before it. */
export const marksSince = (db: Db, since: string): Promise<{ day: string; asset: string; price: bigint }[]> =>
  db.sql`
    select to_char(day, 'YYYY-MM-DD') as day, asset, price from marks where day >= ${since}::date
    union all
    select to_char(day, 'YYYY-MM-DD'), asset, price from (
      select distinct on (asset) day, asset, price from marks where day < ${since}::date order by asset, day desc) as latest
    order by 1`
