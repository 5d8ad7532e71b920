import type { Atomic, Db } from '../../platform/db/sql.ts'
import { held } from '../ledger/account.ts'

/** An amount of one asset at one custody account. */
export type AccountAmount = { account: string; asset: string; amount: bigint }

/** What is reserved at custody accounts. */
export const reservedAmounts = (db: Db): Promise<AccountAmount[]> =>
  db.sql`select place as account, asset, reserved as amount from reserves where reserved <> 0`

/**
 * Payments that rails have seen in the last thirty days and that are neither booked nor reversed nor declined, by rail.
 */
export const incomingAmounts = (db: Db, since: Date): Promise<{ rail: string; asset: string; amount: bigint }[]> =>
  db.sql`
    select rail, asset, sum(amount)::numeric(38, 0) as amount from (
      select distinct on (rail, payment) rail, asset, amount, payment, reference from rail_events
      where kind = 'deposit_seen' and received_at > ${since} order by rail, payment, id desc) as seen
    where exists (select 1 from assets where id = asset)
      and not exists (select 1 from deposits where deposits.rail = seen.rail and deposits.payment = seen.payment)
      and not exists (
        select 1 from rail_events as ending where ending.rail = seen.rail and ending.reference = seen.reference
          and ending.payment = seen.payment and (ending.reverses or ending.kind in ('deposit_final', 'deposit_declined')))
    group by rail, asset`

/** Prepared payments that their rails have not confirmed. They still count as held and reserved. */
export const outgoingAmounts = (db: Db): Promise<AccountAmount[]> =>
  db.sql`
    select place as account, asset, sum(amount)::numeric(38, 0) as amount from payouts where state = 'planned' group by place, asset`

/** What is planned to leave an account and its rail has not settled: a report of the account may lack it already. */
export const plannedAmount = async (db: Db, { place, asset }: { place: string; asset: string }): Promise<bigint> => {
  const [row] = await db.sql<{ amount: bigint }>`
    select coalesce(sum(payouts.amount), 0)::numeric(38, 0) as amount from payouts left join plans on plans.id = plan_id
    where payouts.state = 'planned' and place = ${place} and payouts.asset = ${asset} and not exists (
      select from rail_events as event where event.rail = plans.rail and event.reference = plan_key and event.kind = 'payout_settled')`
  return row?.amount ?? 0n
}

export type Opening = { at: Date; amount: bigint; bank_account: string | null }

/** Opening balances of an account in an asset: when, how much, and the one account of a bank that each is for; null for all that it had then. */
export const openingsOf = (db: Db, { place, asset }: { place: string; asset: string }): Promise<Opening[]> =>
  db.sql`
    select at, amount, own.account as bank_account from entries join postings on entry_id = entries.id
    left join opened_bank_accounts as own on entry_ref = ref
    where kind = 'capital' and debit = ${held(place)} and credit = 'capital' and postings.asset = ${asset}`

export const keepOpening = (
  db: Atomic,
  { place, account, asset, ref }: { place: string; account: string; asset: string; ref: bigint },
): void =>
  db.send`
    insert into opened_bank_accounts (place, account, asset, entry_ref) values (${place}, ${account}, ${asset}, ${ref})`

/** How many charges of an account were booked by its processor's report. */
export const chargesByReport = async (
  db: Db,
  { account, asset }: { account: string; asset: string },
): Promise<number> => {
  const [row] = await db.sql<{ count: number }>`
    select count(*)::integer as count from audit
    where subject = ${`custody:${account}`} and action = 'balance.charged' and after ->> 'asset' = ${asset} and after ->> 'left' is not null`
  return row?.count ?? 0
}
