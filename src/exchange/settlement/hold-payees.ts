import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Destination } from '../../rails/rail.ts'
import { advance, type Step } from '../transactions/advance.ts'
import { lockTransactions } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { waitingBehindContradicted } from './contradicted.ts'
import { showPayout } from './end-payout.ts'
import { destinationPlace, type LockedPayout } from './payout.ts'
import { spelled } from './payer.ts'
import { isOnChain } from './refund.ts'

/** A payout to an account that somebody else holds, as its bank has said. `is_accepted`: staff have released an order since. */
type OtherPayee = { id: bigint; destination: Buffer; data_key_id: bigint; wrapped: Buffer; is_accepted: boolean }

/**
 * A payee's bank says of an account that somebody else holds it once the payment file has left, so that payment cannot be stopped by
 * us. What follows to the same account waits for staff, where the policy `payers` says so: of the same order, and of other orders of
 * the customer or the institution. A name that the bank gives and that is like the customer's own holds nothing.
 */
export async function withoutOtherPayees(
  ctx: Ctx,
  db: Atomic,
  payouts: LockedPayout[],
  transactions: Map<bigint, Transaction>,
): Promise<LockedPayout[]> {
  const held = await holdAll(ctx, db, payouts, transactions)
  return payouts.filter((payout) => !held.includes(payout))
}

/**
 * The same of payments that wait for their file. Gives the keys that stay in no file until staff release their orders; they are asked about
 * again for each file. What would pay an order twice stays, too, until staff have resolved that.
 */
export async function holdQueuedPayees(
  ctx: Ctx,
  db: Atomic,
  queued: { rail: string; keys: readonly string[] },
): Promise<readonly string[]> {
  const twice = (await waitingBehindContradicted(db, { rail: queued.rail, queued: queued.keys })).map(({ key }) => key)
  const payouts = (await queuedToSomebody(db, queued)).filter(({ key }) => !twice.includes(key))
  if (payouts.length === 0) return twice
  const transactions = await lockTransactions(
    ctx,
    db,
    payouts.map(({ transaction_id: id }) => id),
  )
  return [...twice, ...(await holdAll(ctx, db, payouts, transactions)).map(({ key }) => key)]
}

type PayingPayout = Pick<LockedPayout, 'id' | 'transaction_id' | 'asset' | 'destination'>

/** Puts the orders of those on hold whose payees are others, unless they are held for this already. Gives these payouts. */
async function holdAll<Payout extends PayingPayout>(
  ctx: Ctx,
  db: Atomic,
  payouts: readonly Payout[],
  transactions: ReadonlyMap<bigint, Transaction>,
): Promise<Payout[]> {
  const held: Payout[] = []
  const steps: Step[] = []
  for (const payout of payouts) {
    const transaction = transactions.get(payout.transaction_id)
    if (!transaction || isOnChain(payout.asset)) continue
    const { version, rules } = ctx.policies.at(ctx.clock.now(), 'payers', transaction.partnerId)
    if (rules.payee !== 'hold') continue
    const others = await otherPayees(db, transaction)
    if (others.length === 0) continue
    const { address } = transaction.dataKey.open<Destination>(payout.destination, destinationPlace(payout.id))
    if (!(await isOthers(ctx, others, address, rules.leastThousandths))) continue
    held.push(payout)
    if (isHeldForPayee(transaction)) continue
    steps.push({
      transaction,
      cause: { kind: 'payout_payee_differs', id: payout.id },
      to: 'on_hold',
      reason,
      change: { statusDetails: 'review' },
      policies: { payers: version },
    })
  }
  await advance(ctx, db, steps)
  return held
}

/** Whether an order is on hold because of who gets the money, whatever else it was held for first. */
export const isHeldForPayee = ({ history }: Pick<Transaction, 'history'>): boolean =>
  history
    .slice(history.findLastIndex(({ status }) => status !== 'on_hold') + 1)
    .some(({ kind }) => kind === 'payout_payee_differs')

const reason = 'A bank has said that somebody else holds the account that gets the money.'

/** Whether a bank has said so of the account with a name that is not like the customer's, and that staff have not accepted for it. */
async function isOthers(ctx: Ctx, others: OtherPayee[], account: string, leastThousandths: number): Promise<boolean> {
  const accepted = new Set<string>()
  const said: string[] = []
  for (const { id, is_accepted } of thoseOf(ctx, others, account)) {
    const { names = '', score = null } = (await showPayout(ctx, id)).payee ?? {}
    if (is_accepted) accepted.add(names)
    else if (score === null || score < leastThousandths) said.push(names)
  }
  return said.some((names) => !accepted.has(names))
}

/** Those that have paid to one account. */
const thoseOf = (ctx: Ctx, others: OtherPayee[], account: string): OtherPayee[] =>
  others.filter(({ id, destination, data_key_id: keyId, wrapped }) => {
    const paid = ctx.keyring.unwrap(keyId, wrapped).open<Destination>(destination, destinationPlace(id))
    return spelled(paid.address) === spelled(account)
  })

/** Those of the one whose order it is. What was erased has no account to compare. */
const otherPayees = (db: Db, { id, kind, customerId, partnerId }: Transaction): Promise<OtherPayee[]> =>
  db.sql`
    select payouts.id, destination, payouts.data_key_id, wrapped, payee_accepted_at is not null as is_accepted
    from iso20022_payments as payment
    join plans on plans.rail = payment.rail and plan_key = payment.key
    join payouts on payouts.plan_id = plans.id
    join transactions as own on own.id = payouts.transaction_id
    join data_keys on data_keys.id = payouts.data_key_id and wrapped is not null
    where payee_match in ('close', 'none') and (own.id = ${id} or own.customer_id = ${customerId}
      or ${kind} = 'b2b' and own.kind = 'b2b' and own.partner_id = ${partnerId})
    order by payouts.id`

/** Payments to those of whom a bank has said so of any account. */
const queuedToSomebody = (
  db: Db,
  { rail, keys }: { rail: string; keys: readonly string[] },
): Promise<(PayingPayout & { key: string })[]> =>
  db.sql`
    select plan_key as key, payouts.id, transaction_id, asset, destination
    from plans join payouts on plan_id = plans.id join transactions as own on own.id = transaction_id
    where plans.rail = ${rail} and plan_key = any(${[...keys]}::text[]) and purpose = 'payout' and exists (
      select from iso20022_payments as payment
      join plans as before on before.rail = payment.rail and before.plan_key = payment.key
      join payouts as paid on paid.plan_id = before.id
      join transactions as earlier on earlier.id = paid.transaction_id
      where payee_match in ('close', 'none') and (earlier.id = own.id or earlier.customer_id = own.customer_id
        or own.kind = 'b2b' and earlier.kind = 'b2b' and earlier.partner_id = own.partner_id))
    order by payouts.id`

/**
 * Staff have released an order that was held for this, to the account that it was held for: the names that banks have given for it
 * until now hold nothing any more.
 */
export async function acceptPayees(ctx: Ctx, db: Atomic, transaction: Transaction): Promise<void> {
  const { personal } = transaction
  if (!isHeldForPayee(transaction) || personal.payoutAddress === null) return
  const others = thoseOf(ctx, await otherPayees(db, transaction), personal.payoutAddress)
  const ids = others.filter(({ is_accepted }) => !is_accepted).map(({ id }) => id)
  db.send`update payouts set payee_accepted_at = ${ctx.clock.now()} where id = any(${ids})`
}
