import { type Db, one } from '../../platform/db/sql.ts'

type Span = { since: Date; until: Date }

/** How far customers' orders that were created in a span have come, by now. */
export type Conversion = {
  created: bigint
  /** The e-mail address was proven. */
  proven: bigint
  /** Everything was given, and instructions to pay were shown. */
  ready: bigint
  paid: bigint
  finished: bigint
}

export const conversion = async (db: Db, { since, until }: Span): Promise<Conversion> =>
  one(
    await db.sql<Conversion>`
      select count(*) as created,
        count(*) filter (where customer_id is not null) as proven,
        count(*) filter (where exists (
          select from status_history where transaction_id = own.id and status = 'waiting_for_deposit')) as ready,
        count(*) filter (where exists (select from deposits where transaction_id = own.id)) as paid,
        count(*) filter (where exists (
          select from status_history where transaction_id = own.id and status = 'finished')) as finished
      from transactions as own where kind = 'retail' and created_at >= ${since} and created_at < ${until}`,
  )

/** What a rail did in a span: payments that came in, those of them that were taken back, and payouts by their outcome. */
export type RailFlow = {
  rail: string
  deposits: bigint
  takenBack: bigint
  paid: bigint
  failed: bigint
  open: bigint
}

export const byRail = (db: Db, { since, until }: Span): Promise<RailFlow[]> =>
  db.sql`
    with moved as (
      select rail, 1 as deposits, (state <> 'final')::integer as taken_back, 0 as paid, 0 as failed, 0 as open
      from deposits where at >= ${since} and at < ${until}
      union all
      select rail, 0, 0, (state = 'paid')::integer, (state = 'failed')::integer,
        (state in ('waiting', 'reserved', 'planned'))::integer
      from payouts where ordered_at >= ${since} and ordered_at < ${until})
    select rail, sum(deposits) as deposits, sum(taken_back) as "takenBack", sum(paid) as paid, sum(failed) as failed,
      sum(open) as open
    from moved group by rail order by rail`

/** What payments cost in a span, by how customers paid in and were paid out. Units of 10^-8 EUR; what we paid is negative. */
export type MethodCost = { paidBy: string; receivedBy: string; method: bigint; network: bigint }

export const costs = (db: Db, { since, until }: Span): Promise<MethodCost[]> =>
  db.sql`
    select deposit_method as "paidBy", payout_method as "receivedBy", sum(method_costs)::numeric(38, 0) as method,
      sum(network_costs)::numeric(38, 0) as network
    from entries join valuations on entry_id = entries.id join transactions on transactions.id = transaction_id
    where at >= ${since} and at < ${until}
    group by 1, 2 having sum(method_costs) <> 0 or sum(network_costs) <> 0 order by 1, 2`

/** Money that went back in a span, by asset, in smallest units. */
export type GivenBack = {
  kind: 'refunds' | 'reversals' | 'disputes opened' | 'disputes won' | 'disputes lost'
  asset: string
  count: bigint
  amount: bigint
}

export const givenBack = (db: Db, { since, until }: Span): Promise<GivenBack[]> =>
  db.sql`
    with given as (
      select 1 as rank, 'refunds' as kind, asset, amount from refunds
      where ordered_at >= ${since} and ordered_at < ${until} and state not in ('failed', 'cancelled')
      union all
      select 2, 'reversals', deposits.asset, deposit_reversals.amount
      from entries join deposit_reversals on deposit_reversals.id = entries.ref join deposits on deposits.id = deposit_id
      where entries.kind = 'deposit_reversed' and entries.at >= ${since} and entries.at < ${until}
      union all
      select 3, 'disputes opened', asset, disputes.amount from disputes join deposits on deposits.id = deposit_id
      where opened_at >= ${since} and opened_at < ${until}
      union all
      select case disputes.state when 'won' then 4 else 5 end, 'disputes ' || disputes.state, asset, disputes.amount
      from disputes join deposits on deposits.id = deposit_id
      where ended_at >= ${since} and ended_at < ${until})
    select kind, asset, count(*) as count, sum(amount)::numeric(38, 0) as amount
    from given group by rank, kind, asset order by rank, asset`
