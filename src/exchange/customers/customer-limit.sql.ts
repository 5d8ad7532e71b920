import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { ImportRow } from './imported.ts'

/** Keeps other blocks from counting what this customer has, until the block ends. */
export const lockCustomerLimit = (db: Atomic, customerId: bigint): void =>
  db.send`select pg_advisory_xact_lock(hashtextextended('customer limit', ${customerId}))`

/** What a customer has used of each period, in euro cents. */
export type Used = { day: bigint; month: bigint }

/**
 * Sums what a customer has exchanged in the last day and month and is about to: final deposits and, of transactions that await
 * or hold money, the expected amount. One transaction may be left out. Only the newest thousand count.
 */
export const used = (
  db: Db,
  customerId: bigint,
  { dayAgo, monthAgo, besides }: { dayAgo: Date; monthAgo: Date; besides: bigint | null },
): Promise<Used[]> =>
  db.sql`
    select coalesce(sum(greatest(in_day, awaited)), 0)::numeric(38, 0) as day,
      coalesce(sum(greatest(in_month, awaited)), 0)::numeric(38, 0) as month
    from (
      select id, status, from_asset, from_amount_in_eur, expected_from from transactions
      where customer_id = ${customerId} order by id desc limit 1000
    ) as done
    cross join lateral (
      select div(coalesce(sum(amount) filter (where at > ${dayAgo}), 0) * from_amount_in_eur, expected_from) as in_day,
        div(coalesce(sum(amount), 0) * from_amount_in_eur, expected_from) as in_month
      from deposits
      where transaction_id = done.id and asset = from_asset and state = 'final' and at > ${monthAgo}
    ) as paid
    cross join lateral (
      select case when status in ('waiting_for_deposit', 'on_hold', 'exchanging', 'sending') then from_amount_in_eur
        else 0 end as awaited
    ) as open
    where done.id is distinct from ${besides}::bigint`

/** The verifications of a customer, by whichever partner they came; the key is null once the person is erased. */
export const importsOf = (db: Db, customerId: bigint): Promise<(ImportRow & { wrapped: Buffer | null })[]> =>
  db.sql`
    select import.id, import.partner_id as "partnerId", import.partner_customer_id as "partnerCustomerId", provider,
      import.data_key_id as "dataKeyId", import.personal, changed_at as "changedAt", wrapped
    from partner_customers join identity_imports as import on import.partner_customer_id = partner_customers.id
    join data_keys on data_keys.id = import.data_key_id
    where customer_id = ${customerId} order by import.id`
