import type { Db } from '../../platform/db/sql.ts'

/** Something that was booked and is not what its row says, or that a row says and was not booked so. */
export type Difference = { public_id: bigint | null; kind: string; ref: bigint }

/** At which place each rail's money lies. */
export type Places = { rails: string[]; places: string[] }

/**
 * Compares the deposits, payouts and evidence of the transactions after one id up to another with their postings, one by one:
 * accounts, asset, amount. How much of a payout came back is in the books alone.
 */
export const misbooked = (db: Db, afterId: bigint, lastId: bigint, { rails, places }: Places): Promise<Difference[]> =>
  db.sql`
    with page as (
      select id, public_id, 'customer:' || public_id as owner from transactions where id > ${afterId} and id <= ${lastId}),
    place as (select * from unnest(${rails}::text[], ${places}::text[]) as of_rail (rail, held)),
    stood as (
      select public_id, line.kind, deposits.id as ref, asset, line.amount, line.debit, line.credit
      from page join deposits on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      left join place using (rail)
      cross join lateral (select coalesce(sum(amount), 0) as total, coalesce(sum(amount) filter (where rest.transaction_id is not null), 0) as own
        from deposit_rests as rest where deposit_id = deposits.id) as later
      cross join lateral (values
        ('deposit', (amount - later.total)::text, 'held:' || held, owner, matched_at is null),
        ('suspense_matched', (amount - ended_before - later.own)::text, 'suspense', owner, matched_at is not null)
      ) as line (kind, amount, debit, credit, is_due)
      where is_due
      union all
      select public_id, 'deposit', rest.id, asset, rest.amount::text, 'held:' || held, owner
      from page join deposits on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      join deposit_rests as rest on deposit_id = deposits.id and rest.transaction_id is not null left join place using (rail)
      union all
      select public_id, 'deposit_reversed', deposits.id, asset, null, null, null
      from page join deposits on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      join mistaken_deposits on mistaken_deposits.id = deposits.id
      union all
      select public_id, 'deposit_reversed', taken.id, asset, line.amount::text, line.debit, 'held:' || held
      from page join deposits on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      join deposit_reversals as taken on deposit_id = deposits.id
      left join place using (rail)
      cross join lateral (values
        (taken.amount - lost, owner), (lost, 'losses:chargebacks')) as line (amount, debit)
      where line.amount > 0
      union all
      select public_id, 'deposit_reinstated', given.id, asset, line.amount::text, 'held:' || held, line.credit
      from page join deposits on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      join deposit_reinstatements as given on deposit_id = deposits.id
      left join place using (rail)
      cross join lateral (values
        (given.amount - recovered, owner), (recovered, 'losses:chargebacks')) as line (amount, credit)
      where line.amount > 0
      union all
      select page.public_id, 'refund_cost', refunds.id, asset, cost::text, owner, 'network-fees'
      from page join refunds on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      where cost > 0 and exists (select 1 from payouts where refund_id = refunds.id and plan_id is not null)
      union all
      select public_id, line.kind, payouts.id, line.asset, line.amount, line.debit, line.credit
      from page join payouts on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      left join plans on plans.id = plan_id
      cross join lateral (select exists (select from entries as own where own.transaction_id is not distinct from payouts.transaction_id and own.kind = 'payout_return_withdrawn' and own.ref = payouts.id) as is_so) as withdrawn
      cross join lateral (values
        ('payout_sent', asset, amount::text, owner, 'rail:' || payouts.rail || ':clearing', plan_id is not null),
        ('payout_settled', asset, amount::text, 'rail:' || payouts.rail || ':clearing', 'held:' || place,
          payouts.state in ('paid', 'failed') and reason is distinct from 'never'),
        ('payout_settled', evidence #>> '{fee,asset}', evidence #>> '{fee,amount}', 'network-fees', 'held:' || place, payouts.state in ('paid', 'failed') and evidence #>> '{fee,amount}' <> '0'),
        ('payout_settled', asset, evidence ->> 'taken', 'network-fees', 'held:' || place, payouts.state in ('paid', 'failed') and evidence ->> 'taken' is not null),
        ('payout_returned', asset, null, 'held:' || place, owner, payouts.state = 'failed' and reason is distinct from 'never' or withdrawn.is_so),
        ('payout_return_withdrawn', asset, null, owner, 'held:' || place, withdrawn.is_so),
        ('payout_failed', asset, amount::text, 'rail:' || payouts.rail || ':clearing', owner,
          payouts.state = 'failed' and reason = 'never')
      ) as line (kind, asset, amount, debit, credit, is_due)
      where is_due),
    booked as (
      select public_id, kind, ref, asset,
        case when kind in ('payout_returned', 'payout_return_withdrawn') then null else amount::text end as amount, debit, credit
      from page join entries on transaction_id = page.id and transaction_id > ${afterId} and transaction_id <= ${lastId}
      join postings on entry_id = entries.id
      where kind in ('deposit', 'suspense_matched', 'deposit_reversed', 'deposit_reinstated', 'payout_sent', 'payout_settled', 'payout_returned', 'payout_return_withdrawn', 'payout_failed', 'refund_cost'))
    select distinct public_id, kind, ref from (
      (select * from stood except all select * from booked) union all
      (select * from booked except all select * from stood)) as different`

/** The same as `misbooked` of the deposits that belong to nobody, or did when they came; at most a hundred. */
export const misbookedSuspense = (db: Db, { rails, places }: Places): Promise<Difference[]> =>
  db.sql`
    with place as (select * from unnest(${rails}::text[], ${places}::text[]) as of_rail (rail, held)),
    stood as (
      select line.kind, deposits.id as ref, asset, line.amount, line.debit, line.credit
      from deposits left join place using (rail)
      cross join lateral (
        select 'deposit' as kind, (deposits.amount - coalesce(sum(rest.amount), 0))::text as amount, 'held:' || held as debit,
          'suspense' as credit
        from deposit_rests as rest where deposit_id = deposits.id) as line
      where transaction_id is null or matched_at is not null
      union all
      select 'deposit', rest.id, asset, rest.amount::text, 'held:' || held, 'suspense'
      from deposit_rests as rest join deposits on deposits.id = deposit_id left join place using (rail)
      where rest.transaction_id is null
      union all
      select 'deposit_reversed', deposits.id, asset, null, null, null from deposits join mistaken_deposits using (id)
      where transaction_id is null
      union all
      select 'deposit_reversed', taken.id, asset, line.amount::text, line.debit, 'held:' || held
      from deposits join deposit_reversals as taken on deposit_id = deposits.id
      left join place using (rail)
      cross join lateral (values
        (taken.amount - lost, 'suspense'), (lost, 'losses:chargebacks')) as line (amount, debit)
      where transaction_id is null and line.amount > 0
      union all
      select 'deposit_reinstated', given.id, asset, line.amount::text, 'held:' || held, line.credit
      from deposits join deposit_reinstatements as given on deposit_id = deposits.id
      left join place using (rail)
      cross join lateral (values
        (given.amount - recovered, 'suspense'), (recovered, 'losses:chargebacks')) as line (amount, credit)
      where transaction_id is null and line.amount > 0
      union all
      select 'refund_cost', refunds.id, asset, cost::text, 'suspense', 'network-fees' from refunds
      where transaction_id is null and cost > 0
        and exists (select 1 from payouts where refund_id = refunds.id and plan_id is not null)
      union all
      select line.kind, payouts.id, line.asset, line.amount, line.debit, line.credit
      from payouts left join plans on plans.id = plan_id
      cross join lateral (select exists (select from entries as own where own.transaction_id is not distinct from payouts.transaction_id and own.kind = 'payout_return_withdrawn' and own.ref = payouts.id) as is_so) as withdrawn
      cross join lateral (values
        ('payout_sent', asset, amount::text, 'suspense', 'rail:' || payouts.rail || ':clearing', plan_id is not null),
        ('payout_settled', asset, amount::text, 'rail:' || payouts.rail || ':clearing', 'held:' || place,
          payouts.state in ('paid', 'failed') and reason is distinct from 'never'),
        ('payout_settled', evidence #>> '{fee,asset}', evidence #>> '{fee,amount}', 'network-fees', 'held:' || place, payouts.state in ('paid', 'failed') and evidence #>> '{fee,amount}' <> '0'),
        ('payout_settled', asset, evidence ->> 'taken', 'network-fees', 'held:' || place, payouts.state in ('paid', 'failed') and evidence ->> 'taken' is not null),
        ('payout_returned', asset, null, 'held:' || place, 'suspense', payouts.state = 'failed' and reason is distinct from 'never' or withdrawn.is_so),
        ('payout_return_withdrawn', asset, null, 'suspense', 'held:' || place, withdrawn.is_so),
        ('payout_failed', asset, amount::text, 'rail:' || payouts.rail || ':clearing', 'suspense',
          payouts.state = 'failed' and reason = 'never')
      ) as line (kind, asset, amount, debit, credit, is_due)
      where transaction_id is null and is_due),
    booked as (
      select kind, ref, asset,
        case when kind in ('payout_returned', 'payout_return_withdrawn') then null else amount::text end as amount, debit, credit
      from entries join postings on entry_id = entries.id
      where transaction_id is null
        and kind in ('deposit', 'deposit_reversed', 'deposit_reinstated', 'payout_sent', 'payout_settled', 'payout_returned', 'payout_return_withdrawn',
          'payout_failed', 'refund_cost'))
    select distinct null::bigint as public_id, kind, ref from (
      (select * from stood except all select * from booked) union all
      (select * from booked except all select * from stood)) as different
    limit 100`
