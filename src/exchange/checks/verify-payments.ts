import type { Db } from '../../platform/db/sql.ts'

/** The payments that a chain or a bank was given, as it wrote them down, that no payout of ours is behind, and files of no payment. */
export async function strayPayments(db: Db): Promise<string[]> {
  const rows = await db.sql<{ network: string; key: string; state: string }>`
    select network, plan_key as key, state from (
      select network, plan_key, amount, state from bitcoin_payments
      union all select network, plan_key, amount, state from xrpl_payments
      union all select rail, key, amount, state from iso20022_payments
      -- Gas for an address of ours is no payout.
      union all select network, plan_key, amount, state from evm_sends where not starts_with(plan_key, 'gas ')) as given
    where not exists (
      select from plans join payouts on plan_id = plans.id
      where plans.plan_key = given.plan_key and payouts.amount = given.amount)
    order by network, plan_key limit 1000`
  const files = await db.sql<{ rail: string; name: string }>`
    select rail, name from iso20022_batches as batch
    where not exists (select from iso20022_payments where batch_id = batch.id) order by rail, name limit 1000`
  return [
    ...rows.map(({ network, key, state }) => `Payment ${key} on ${network} is ${state}, and no payout is behind it.`),
    ...files.map(({ rail, name }) => `The payment file ${name} of ${rail} has no payment of ours.`),
  ]
}
