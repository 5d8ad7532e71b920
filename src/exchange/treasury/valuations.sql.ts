import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { QuoteCommon } from '../pricing/quote.ts'
import { housePatterns } from './house-accounts.ts'
import type { HouseChange } from './valuation.ts'

/** Lets one process value entries at a time; the block waits for it before it looks at what is committed. */
export const lockState = async (db: Db): Promise<{ through: string }[]> =>
  db.sql`select through::text from valuation_state for update`

/** A dump restored into another server contains the old server's transaction numbers, which may be in the future here. */
export const resetStateAfterRestore = (db: Atomic): void =>
  db.send`update valuation_state set through = '0' where through > pg_snapshot_xmax(pg_current_snapshot())`

/** The last database transaction of the next entries to value, at most so many; nothing that still runs came before it. */
export const nextThrough = (db: Db, through: string, most: number): Promise<{ through: string }[]> =>
  db.sql`
    with next as (
      select xid from entries where xid > ${through}::xid8 and xid < (select pg_snapshot_xmin(pg_current_snapshot()))
      order by xid limit ${most})
    select xid::text as through from next order by xid desc limit 1`

/** One row if there is an entry that is not valued yet. */
export const unvalued = (db: Db): Promise<unknown[]> =>
  db.sql`select 1 from entries where xid > (select through from valuation_state) limit 1`

export const saveThrough = (db: Atomic, through: string): void =>
  db.send`update valuation_state set through = ${through}::xid8`

/** An entry that changed accounts of the house, with the quote of an exchange and the base of a hedge. */
export type HouseEntryRow = {
  id: bigint
  kind: string
  at: Date
  partner_id: bigint | null
  changes: HouseChange[]
  quote: QuoteCommon | null
  base: string | null
}

type StoredRow = Omit<HouseEntryRow, 'changes'> & { changes: { account: string; asset: string; amount: string }[] }

/** The entries of these database transactions that changed accounts of the house and are not valued. */
export async function houseEntries(db: Db, after: string, through: string): Promise<HouseEntryRow[]> {
  const rows = await db.sql<StoredRow>`
    with lines as (
      select entries.id, side.account, asset, sum(side.amount) as amount
      from entries join postings on entry_id = entries.id
      cross join lateral (values (debit, -amount), (credit, amount)) as side (account, amount)
      where xid > ${after}::xid8 and xid <= ${through}::xid8 and side.account like any(${housePatterns}::text[])
      group by entries.id, side.account, asset),
    changed as (
      select id, json_agg(json_build_object('account', account, 'asset', asset, 'amount', amount::text)
        order by account, asset) as changes
      from lines where amount <> 0 group by id)
    select entries.id, entries.kind, entries.at, transactions.partner_id, changes, quotes.quote, hedges.base
    from changed join entries using (id)
    left join transactions on transactions.id = entries.transaction_id
    left join quotes on quotes.transaction_id = entries.transaction_id and number = ref
      and entries.kind in ('exchange', 'exchange_mirrored')
    left join hedge_fills on hedge_fills.id = ref and entries.kind = 'hedge_fill'
    left join hedges on hedges.id = hedge_id
    where not exists (select 1 from valuations where entry_id = entries.id)
    order by entries.id`
  return rows.map(({ changes, ...row }) => ({
    ...row,
    changes: changes.map((change) => ({ ...change, amount: BigInt(change.amount) })),
  }))
}

/** The latest stored mark of each asset, of a day before this one. */
export const latestMarks = (db: Db, before: string): Promise<{ asset: string; price: bigint }[]> =>
  db.sql`
    select distinct on (asset) asset, price from marks where day < ${before}::date order by asset, day desc`

/**
 * Days up to `until` that an asset of the house has no mark for. Only the last few days before the newest mark are looked at: before
 * them nothing can be missing.
 */
export const missingMarks = (db: Db, until: string): Promise<{ day: string; asset: string }[]> =>
  db.sql`
    with known as (select asset, min(day) as first from valuations group by asset),
    newest as (select max(day) - 3 as day from marks)
    select to_char(series.day, 'YYYY-MM-DD') as day, asset from known
    cross join lateral generate_series(
      greatest(first, (select day from newest)), ${until}::date, interval '1 day') as series (day)
    where not exists (select 1 from marks where marks.asset = known.asset and marks.day = series.day::date)
    order by series.day, asset`

/** Stores marks. One that is stored already stays as it is. */
export const insertMarks = (
  db: Db,
  rows: readonly { day: string; asset: string; price: bigint }[],
  at: Date,
): Promise<unknown[]> =>
  db.sql`
    insert into marks (day, asset, price, recorded_at)
    select day::date, asset, price, ${at} from unnest(
      ${rows.map(({ day }) => day)}::text[], ${rows.map(({ asset }) => asset)}::text[],
      ${rows.map(({ price }) => price)}::numeric[]) as row (day, asset, price)
    on conflict do nothing`

/** Assets in which the valuations differ from what the valued entries changed on the accounts of the house. */
export const misvalued = (db: Db): Promise<{ asset: string }[]> =>
  db.sql`
    with booked as (
      select asset, sum(side.amount) as amount from entries join postings on entry_id = entries.id
      cross join lateral (values (debit, -amount), (credit, amount)) as side (account, amount)
      where xid <= (select through from valuation_state) and side.account like any(${housePatterns}::text[]) group by asset),
    valued as (select asset, sum(change) as amount from valuations group by asset)
    select coalesce(booked.asset, valued.asset) as asset from booked full join valued using (asset)
    where coalesce(booked.amount, 0) <> coalesce(valued.amount, 0)`

/** Entries whose columns do not sum up to their worth; at most a hundred. */
export const unevenValuations = (db: Db): Promise<{ entry_id: bigint }[]> =>
  db.sql`
    select entry_id from valuations group by entry_id
    having sum(worth) <> sum(spread + fees + method_costs + network_costs + hedging + drift) limit 100`
