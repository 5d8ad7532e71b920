import type { Atomic, Db } from '../../platform/db/sql.ts'

/** What a subject is to have more, and its cap, in euro cents. `openUntil`: when the last of these locks ends. */
export type Raise = { subject: string; cents: bigint; cap: bigint; openUntil: Date }

/**
 * Adds to totals, each that stays within its cap, and gives the subjects of those. Locks all of them until the block ends, in
 * one order for every block. A subject that had no total has one now, whatever its cap.
 */
export async function raise(db: Atomic, raises: readonly Raise[]): Promise<Set<string>> {
  const rows = await db.sql<{ subject: string }>`
    insert into open_lock_totals as known (subject, cents, cap, open_until)
    select subject, cents, cap, open_until from unnest(
      ${raises.map(({ subject }) => subject)}::text[], ${raises.map(({ cents }) => cents)}::numeric[],
      ${raises.map(({ cap }) => cap)}::numeric[], ${raises.map(({ openUntil }) => openUntil.toISOString())}::timestamptz[]
    ) as wanted (subject, cents, cap, open_until) order by subject
    on conflict (subject) do update set cents = known.cents + excluded.cents, cap = excluded.cap,
      open_until = greatest(known.open_until, excluded.open_until)
    where known.cents + excluded.cents <= excluded.cap
    returning subject`
  return new Set(rows.map(({ subject }) => subject))
}

/** Corrects totals of this block: `cents` in place of what is there, or on top of it. */
export const correct = (
  db: Atomic,
  totals: readonly { subject: string; cents: bigint; isWhole: boolean; openUntil: Date }[],
): void =>
  db.send`
    update open_lock_totals as known set cents = case when is_whole then new.cents else known.cents + new.cents end,
      open_until = greatest(known.open_until, new.open_until)
    from unnest(
      ${totals.map(({ subject }) => subject)}::text[], ${totals.map(({ cents }) => cents)}::numeric[],
      ${totals.map(({ isWhole }) => isWhole)}::boolean[],
      ${totals.map(({ openUntil }) => openUntil.toISOString())}::timestamptz[]
    ) as new (subject, cents, is_whole, open_until)
    where known.subject = new.subject`

type Counted = { cents: bigint }

/** Which locks are counted: open at a moment, and not these transactions' own. */
export type CountOptions = { now: Date; besides: readonly bigint[] }

export const ofPartner = (db: Db, partnerId: bigint, { now, besides }: CountOptions): Promise<Counted[]> =>
  db.sql`
    select coalesce(sum(from_amount_in_eur), 0)::numeric(38, 0) as cents from transactions
    where status in ('new', 'waiting_for_customer', 'waiting_for_deposit') and quote_expires_at > ${now}
      and partner_id = ${partnerId} and id <> all(${besides}::bigint[])`

export const ofAsset = (db: Db, asset: string, { now, besides }: CountOptions): Promise<Counted[]> =>
  db.sql`
    select coalesce(sum(from_amount_in_eur), 0)::numeric(38, 0) as cents from transactions
    where status in ('new', 'waiting_for_customer', 'waiting_for_deposit') and quote_expires_at > ${now}
      and ${asset} in (from_asset, to_asset) and id <> all(${besides}::bigint[])`

/** Of a customer, whatever partner the order is of, before its address is proven too. */
export const ofCustomer = (db: Db, customerId: bigint, { now, besides }: CountOptions): Promise<Counted[]> =>
  db.sql`
    select coalesce(sum(from_amount_in_eur), 0)::numeric(38, 0) as cents from transactions
    where status in ('new', 'waiting_for_customer', 'waiting_for_deposit') and quote_expires_at > ${now}
      and id <> all(${besides}::bigint[]) and (customer_id = ${customerId} or customer_id is null and partner_customer_id in
        (select id from partner_customers where customer_id = ${customerId}))`

/** Of an address that is not proven, as one partner passed it. */
export const ofPartnerCustomer = (db: Db, id: bigint, { now, besides }: CountOptions): Promise<Counted[]> =>
  db.sql`
    select coalesce(sum(from_amount_in_eur), 0)::numeric(38, 0) as cents from transactions
    where status in ('new', 'waiting_for_customer', 'waiting_for_deposit') and quote_expires_at > ${now}
      and partner_customer_id = ${id} and transactions.id <> all(${besides}::bigint[])`

/** Drops totals whose locks are all over. */
export const forget = (db: Db, now: Date): Promise<unknown[]> =>
  db.sql`delete from open_lock_totals where open_until < ${now}`
