import type { Atomic, Db } from '../../platform/db/sql.ts'

export type ClosedRow = {
  day: string
  closed_at: Date
  closed_by: string
  breaks_open: number
  profit: readonly Readonly<Record<string, string>>[]
}

/** Excludes others who close a day until the block ends. */
export const lockDays = (db: Atomic): void => db.send`select pg_advisory_xact_lock(hashtextextended('closed_days', 0))`

export const closedDay = (db: Db, day: string): Promise<ClosedRow[]> =>
  db.sql`select day::text, closed_at, closed_by, breaks_open, profit from closed_days where day = ${day}::text::date`

/** The last day that is closed. */
export const lastDay = (db: Db): Promise<{ day: string }[]> =>
  db.sql`select day::text from closed_days order by closed_days.day desc limit 1`

/**
 * Freezes the balances at a time: those of now, less what was booked with a later time. The ledger balances, so what all customers
 * together are owed is the other side of all other accounts.
 */
export const freeze = (
  db: Atomic,
  {
    day,
    end,
    closedAt,
    closedBy,
    breaksOpen,
    profit,
  }: { day: string; end: Date; closedAt: Date; closedBy: string; breaksOpen: number; profit: ClosedRow['profit'] },
): void => {
  db.send`
    insert into closed_days (day, closed_at, closed_by, breaks_open, profit)
    values (${day}::text::date, ${closedAt}, ${closedBy}, ${breaksOpen}, ${JSON.stringify(profit)}::text::jsonb)`
  db.send`
    with sides as (
      select account, asset, amount from folded_balances
      union all
      select side.account, asset, side.amount from entries join postings on entry_id = entries.id
      cross join lateral (values (debit, postings.amount), (credit, -postings.amount)) as side (account, amount)
      where xid >= (select below from fold_state) and side.account not like 'customer:%'
      union all
      select side.account, asset, -side.amount from entries join postings on entry_id = entries.id
      cross join lateral (values (debit, postings.amount), (credit, -postings.amount)) as side (account, amount)
      where at >= ${end} and side.account not like 'customer:%'),
    sums as (select account, asset, sum(amount) as balance from sides group by account, asset)
    insert into closed_balances (day, account, asset, balance)
    select ${day}::text::date, account, asset, balance from sums
    union all
    select ${day}::text::date, 'customers', asset, -sum(balance) from sums group by asset`
}

/** The figures of a closed day, with those of the day closed before. */
export const figures = (
  db: Db,
  day: string,
): Promise<{ account: string; asset: string; opening: bigint; closing: bigint }[]> =>
  db.sql`
    with before as (
      select account, asset, balance from closed_balances
      where day = (select max(earlier.day) from closed_days as earlier where earlier.day < ${day}::text::date)),
    today as (select account, asset, balance from closed_balances where day = ${day}::text::date)
    select coalesce(today.account, before.account) as account, coalesce(today.asset, before.asset) as asset,
      coalesce(before.balance, 0)::numeric(38, 0) as opening, coalesce(today.balance, 0)::numeric(38, 0) as closing
    from today full join before on before.account = today.account and before.asset = today.asset
    order by 1, 2`
