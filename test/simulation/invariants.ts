import type pg from 'pg'

import { networks } from '../../src/catalog/network.ts'
import { walletOf } from '../../src/rails/sandbox/chain/wallet.ts'
import { ended } from '../../src/transactions/lifecycle.ts'
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
  select format('%s holds %s of %s', account, amount, asset) from balances where account like 'held:%' and amount < 0
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
    select sum(amount) from payouts
    where payouts.place = reserves.place and payouts.asset = reserves.asset
      and payouts.state in ('reserved', 'planned', 'unknown')), 0)
  union all
  select format('%s is %s, and its history says %s', public_id, transactions.status, last.status)
  from transactions left join lateral (
    select status, number, (select count(*) from moves where transaction_id = transactions.id) as count from moves
    where transaction_id = transactions.id order by number desc limit 1) as last on true
  where last.status is distinct from transactions.status or last.number <> transactions.moves or last.count <> transactions.moves
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
  const { owner, acknowledged, complaints } = stage
  const values = [[...ended], wallets, [...acknowledged]]
  const [{ rows }, promised] = await Promise.all([
    owner.query<[string]>({ name: 'broken', text: broken, values, rowMode: 'array' }),
    overdrawn(stage),
  ])
  return [...rows.map(([sentence]) => sentence), ...promised, ...complaints.splice(0)]
}

type Place = { reserved: bigint; held: bigint }

const places = new WeakMap<pg.Client, Map<string, Place>>()

/**
 * What is promised may come to be more than there is when money is taken back, but no promise may be made above it. In one step
 * both may happen, so a promise is held against what was there before the step, too.
 */
async function overdrawn({ owner }: Stage): Promise<string[]> {
  const { rows } = await owner.query<{ place: string; asset: string; reserved: string; held: string }>({
    name: 'overdrawn',
    text: `
      select place, asset, reserved::text, coalesce((
        select sum(case debit when 'held:' || place then amount else -amount end) from postings
        where postings.asset = reserves.asset and 'held:' || place in (debit, credit)), 0)::text as held
      from reserves order by place, asset`,
  })
  const before = places.get(owner) ?? new Map<string, Place>()
  const nameOf = (row: { place: string; asset: string }): string => `${row.place} ${row.asset}`
  const now = new Map(
    rows.map((row) => [nameOf(row), { reserved: BigInt(row.reserved), held: BigInt(row.held) }] as const),
  )
  places.set(owner, now)
  return rows
    .filter((row) => {
      const is = now.get(nameOf(row)) ?? { reserved: 0n, held: 0n }
      const was = before.get(nameOf(row)) ?? { reserved: 0n, held: 0n }
      const isNew = is.reserved > was.reserved
      return is.reserved < 0n || (isNew && is.reserved > is.held && is.reserved > was.held)
    })
    .map(({ place, asset, reserved, held }) => `${reserved} of ${asset} was promised at ${place}, which holds ${held}`)
}
