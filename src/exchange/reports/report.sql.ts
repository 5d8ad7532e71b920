import type { Db } from '../../platform/db/sql.ts'

/** One line of a report. `volume`, `fees` and `profit` are in units of 10^-8 EUR. */
export type ReportRow = {
  partner_id: bigint
  side: string
  asset: string
  created: bigint
  paid: bigint
  finished: bigint
  refunded: bigint
  volume: bigint
  fees: bigint
  profit: bigint
}

export const report = (
  db: Db,
  { since, until, partnerId }: { since: Date; until: Date; partnerId: bigint | null },
): Promise<ReportRow[]> =>
  db.sql`
    with measures as (
      select id as transaction_id, 1 as created, 0 as paid, 0 as finished, 0 as refunded,
        0::numeric as volume, 0::numeric as fees, 0::numeric as profit
      from transactions where created_at >= ${since} and created_at < ${until}
      union all
      select transaction_id, 0, 0, (status = 'finished')::integer, (status = 'refunded')::integer, 0, 0, 0
      from status_history where at >= ${since} and at < ${until} and status in ('finished', 'refunded')
        and not exists (select 1 from status_history as before
          where before.transaction_id = status_history.transaction_id and before.number < status_history.number
            and before.status = status_history.status)
      union all
      select transactions.id, 0, 1, 0, 0, from_amount_in_eur * 1000000, 0, 0
      from entries join transactions on transactions.id = transaction_id
      where entries.kind in ('deposit', 'suspense_matched') and at >= ${since} and at < ${until}
        and not exists (select 1 from entries as before
          where before.transaction_id = entries.transaction_id and before.kind in ('deposit', 'suspense_matched') and before.id < entries.id)
      union all
      select transaction_id, 0, 0, 0, 0, 0, valuations.fees,
        spread + valuations.fees + method_costs + network_costs + hedging + drift
      from entries join valuations on entry_id = entries.id
      where at >= ${since} and at < ${until} and transaction_id is not null)
    select partner_id, side, split_part(case side when 'sell' then from_asset else to_asset end, '-', 1) as asset,
      sum(created) as created, sum(paid) as paid, sum(finished) as finished, sum(refunded) as refunded,
      coalesce(sum(volume), 0)::numeric(38, 0) as volume, sum(fees)::numeric(38, 0) as fees,
      sum(profit)::numeric(38, 0) as profit
    from measures join transactions on transactions.id = measures.transaction_id
    where ${partnerId}::bigint is null or partner_id = ${partnerId}
    group by 1, 2, 3 order by 1, 2, 3`
