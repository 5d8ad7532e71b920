import type { Db } from '../../platform/db/sql.ts'

/** Payments in no file yet to whose order or refund another payment belongs that was ended, and that its bank has carried out since. */
export const waitingBehindContradicted = (
  db: Db,
  of: { rail: string; queued: readonly string[] } | { rail: string; ended: string },
): Promise<{ key: string }[]> => {
  const { rail, queued, ended } = { queued: [], ended: null, ...of }
  return db.sql`
    select distinct waiting.plan_key as key
    from iso20022_payments as payment
    join plans as before on before.rail = payment.rail and before.plan_key = payment.key
    join payouts as first on first.plan_id = before.id
    join payouts as second on second.transaction_id = first.transaction_id or second.refund_id = first.refund_id
    join plans as waiting on waiting.id = second.plan_id
    join iso20022_payments as next on next.rail = waiting.rail and next.key = waiting.plan_key and next.state = 'queued'
    where payment.state = 'rejected' and payment.code in ('ACSC', 'ACCC')
      and (waiting.rail = ${rail} and waiting.plan_key = any(${[...queued]}::text[]) and not exists (
          select from breaks where breaks.account = payment.rail and breaks.key = 'payment ' || payment.key and breaks.state = 'resolved')
        or payment.rail = ${rail} and payment.key = ${ended})`
}

/** Why one person cannot resolve that a bank has carried out a payment that was ended. */
export const whyContradictionStays = async (
  db: Db,
  { rail, key }: { rail: string; key: string },
): Promise<string | undefined> => {
  const [, ended] = /^payment (.+)$/.exec(key) ?? []
  if (ended === undefined || (await waitingBehindContradicted(db, { rail, ended })).length === 0) return undefined
  return 'Another payment of its order waits, and would pay it twice: two operators end that first (payout cancel).'
}
