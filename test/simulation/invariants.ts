import { networks } from '../../src/reference/catalog/network.ts'
import { walletOf } from '../../src/sandbox/chain/wallet.ts'
import { ended } from '../../src/exchange/transactions/lifecycle.ts'
import { brokenPromises, isShort } from './promises.ts'
import type { Stage } from './stage.ts'

/**
 * What must hold after every step, whatever is under way, read from the tables and from the sandbox's own records. Each row is a
 * sentence about what is wrong. `verify` looks at more, at quiet points only: it knows nothing of how things are meant to be in
 * between.
 */
const broken = `
  with ended as (select id, public_id, status from transactions where status = any($1)),
  lines as (
    select debit as account, asset, amount from postings union all select credit, asset, -amount from postings),
  balances as (select account, asset, sum(amount) as amount from lines group by account, asset),
  out as (
    select 'sandbox-' || lower(chain) as rail, nonce as key, asset, amount from sandbox.transfers
    where sender = any($2)
    union all
    select 'sandbox-bank', end_to_end_id, asset, amount from sandbox.bank_payments where direction = 'out'
    union all
    select rail, plan_key, asset, amount from sandbox.page_refunds where state <> 'refused'),
  came as (
    select 'sandbox-' || lower(chain) as rail, hash as payment, asset, amount from sandbox.transfers
    union all select 'sandbox-bank', 'bnk_' || id, asset, amount from sandbox.bank_payments
    union all select rail, 'pay_' || id, asset, amount from sandbox.card_payments)

  select format('%s owes its customer %s of %s the wrong way round', account, amount, asset)
  from balances where account like 'customer:%' and amount > 0
  union all
  select format('%s is %s and owes %s of %s', public_id, status, -amount, asset)
  from ended join balances on account = 'customer:' || public_id where amount <> 0
  union all
  select format('suspense owes %s of %s the wrong way round', amount, asset)
  from balances where account = 'suspense' and amount > 0
  union all
  select format('%s has %s of %s under way and not %s', account, coalesce(booked.amount, 0), asset, coalesce(planned.amount, 0))
  from (select * from balances where account like 'rail:%') as booked
  full join (
    select 'rail:' || plans.rail || ':clearing' as account, asset, sum(amount) as amount
    from payouts join plans on plans.id = plan_id where payouts.state in ('planned', 'unknown') group by 1, 2
  ) as planned using (account, asset)
  where -coalesce(booked.amount, 0) <> coalesce(planned.amount, 0)
  union all
  select format('%s of %s was paid by %s under %s, which nobody has planned', out.amount, out.asset, out.rail, key)
  from out left join plans on plans.rail = out.rail and plan_key = key where plans.id is null
  union all
  select format('%s paid %s of %s under %s, which is no payout of that', out.rail, out.amount, out.asset, key)
  from out join plans on plans.rail = out.rail and plan_key = key
  left join payouts on plan_id = plans.id and payouts.asset = out.asset and payouts.amount = out.amount
  where payouts.id is null
  union all
  select format('%s of %s were credited for %s on %s, which did not come', deposits.amount, deposits.asset, payment, rail)
  from deposits left join came using (rail, payment)
  where came.payment is null or came.amount <> deposits.amount or came.asset <> deposits.asset
  union all
  select format('payment %s on %s was credited %s times', payment, rail, count(*))
  from deposits group by rail, payment having count(*) > 1
  union all
  select format('%s of %s is reserved at %s, and not what payouts need', reserved, asset, place)
  from reserves where reserved <> coalesce((
    select sum(part.amount) from payouts
    cross join lateral (values (asset, amount), (fee_asset, most_fee)) as part (asset, amount)
    where payouts.place = reserves.place and part.asset = reserves.asset
      and payouts.state in ('reserved', 'planned', 'unknown')), 0)
  union all
  select format('%s is %s, and its history says %s', public_id, transactions.status, last.status)
  from transactions left join lateral (
    select status, number, (select count(*) from status_history where transaction_id = transactions.id) as count from status_history
    where transaction_id = transactions.id order by number desc limit 1) as last on true
  where last.status is distinct from transactions.status or last.number <> status_changes or last.count <> status_changes
  union all
  select format('the create of %s was answered, and it is not there', id)
  from unnest($3::bigint[]) as acknowledged (id) where id not in (select public_id from transactions)
  union all
  select format('the events of %s have a gap', stream)
  from events group by stream having count(*) <> max(sequence) or min(sequence) <> 1
  union all
  select format('%s has told %s of %s events', public_id, count(events.id), transactions.events)
  from transactions left join events on stream = public_id group by public_id, transactions.events
  having count(events.id) <> transactions.events
`

/** The exchange's own wallets. */
const wallets = networks.map((network) => walletOf({ confirmations: {} }, network).address)

/** Everything that does not hold now, one sentence each. */
export async function violations(stage: Stage): Promise<string[]> {
  const { owner, acknowledged, complaints, declined } = stage
  const values = [[...ended], wallets, [...acknowledged]]
  const [{ rows }, promised, short] = await Promise.all([
    owner.query<[string]>({ name: 'broken', text: broken, values, rowMode: 'array' }),
    brokenPromises(owner),
    isShort(owner),
  ])
  // A rail may say no where what was promised was taken back. Everywhere else it was promised too easily.
  const refused = short ? [] : declined
  const found = [...rows.map(([sentence]) => sentence), ...promised, ...complaints.splice(0), ...refused]
  declined.length = 0
  return found
}
