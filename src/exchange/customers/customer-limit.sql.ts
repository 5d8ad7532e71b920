import type { Db } from '../../platform/db/sql.ts'
import type { ImportRow } from './imported.ts'

/**
 * Sums, in euro cents, what a person has exchanged since each of some moments and is about to: final deposits and, of transactions
 * that await or hold money, the expected amount. One transaction may be left out. No order waits longer than 90 days to be paid.
 */
export const used = async (
  db: Db,
  customerId: bigint,
  { since, besides }: { since: Date[]; besides: bigint | null },
): Promise<bigint[]> =>
  (
    await db.sql<{ cents: bigint }>`
      select coalesce(sum(greatest(paid.cents, case
          when status in ('waiting_for_deposit', 'on_hold', 'exchanging', 'sending') then from_amount_in_eur end)), 0)
        ::numeric(38, 0) as cents
      from unnest(${since}::timestamptz[]) with ordinality as period (since, number)
      left join transactions as done on done.customer_id in (select same_person(${customerId}))
        and done.created_at > period.since - interval '90 days' and done.id is distinct from ${besides}::bigint
      left join lateral (
        select div(coalesce(sum(amount - ended_before), 0) * from_amount_in_eur, expected_from) as cents from deposits
        where transaction_id = done.id and asset = from_asset and state = 'final' and at > period.since
      ) as paid on true
      group by number order by number`
  ).map(({ cents }) => cents)

/** The verifications of a customer, by whichever partner they came; the key is null once the person is erased. */
export const importsOf = (db: Db, customerId: bigint): Promise<(ImportRow & { wrapped: Buffer | null })[]> =>
  db.sql`
    select import.id, import.partner_id as "partnerId", import.partner_customer_id as "partnerCustomerId", provider,
      import.data_key_id as "dataKeyId", import.personal, changed_at as "changedAt", wrapped
    from partner_customers join identity_imports as import on import.partner_customer_id = partner_customers.id
    join data_keys on data_keys.id = import.data_key_id
    where customer_id = ${customerId} order by import.id`
