import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { post } from '../ledger/post.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { badField, fieldRefusal, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { cancelRefunds } from '../settlement/cancel-refunds.ts'
import {
  type Deposit,
  freeOf,
  lockDeposit,
  matchDeposit,
  paymentOf,
  type SuspenseDeposit,
  suspenseDeposits,
  useDeposits,
} from '../settlement/deposit.ts'
import { matchEntry, writeOffEntry } from '../settlement/entries.ts'
import { orderRedirected, type RefundDestination } from '../settlement/redirect-refund.ts'
import {
  enqueueRefunds,
  lockRefundPayouts,
  lockRefundsOfDeposit,
  orderRefunds,
  type Refund,
  refundCost,
  refunds,
  refundsOfDeposit,
} from '../settlement/refund.ts'
import { checkPayer } from '../settlement/payer.ts'
import { reversalsToSettle } from '../settlement/rail-event.ts'
import { lockOwnPayment } from '../settlement/reverse-own-money.ts'
import { unsentOf } from '../settlement/send-refunds.ts'
import { settleNow } from '../settlement/settle.ts'
import { transition } from '../settlement/transition.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { PaymentDetails } from '../../rails/rail.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'
import { type Doubt, doubtKey, doubtsAbout, whyDoubled, whyInDoubt } from './doubts.ts'
import { dayOf, listOwnMoneyRules, ruleFor } from './own-money-rules.ts'
import type { RefundablePart } from './staff-rules.ts'
import { type Candidate, candidatesFor, waitingOrders } from './suspense-candidates.ts'

/** The most that one look gives. */
const most = 1_000

/** Money in suspense with what its rail knows of it, the orders that it may be for, what it may be double of, and why a rule leaves it. */
export type SuspenseMoney = SuspenseDeposit & {
  details: PaymentDetails | undefined
  candidates: Candidate[]
  doubt: Doubt | undefined
  beyond: string | undefined
}

/** The deposits that lie in suspense and are not on their way back, oldest first. */
export async function listSuspense({ db, rails }: Pick<Ctx, 'db' | 'rails'>): Promise<SuspenseMoney[]> {
  const deposits = await suspenseDeposits(db, most)
  const waiting =
    deposits.length === 0
      ? []
      : await waitingOrders(
          db,
          deposits.map(({ rail }) => rail),
        )
  const doubts = await doubtsAbout({ rails }, db, deposits)
  const rules = deposits.length === 0 ? [] : await listOwnMoneyRules({ db })
  return Promise.all(
    deposits.map(async (one) => {
      const half = rails.deposit(one.rail)?.deposit
      const details = one.payment === null ? undefined : await half?.details?.(db, one.payment)
      const texts = [details?.text ?? '', one.reference]
      const day = dayOf(details?.bookedOn, one.at)
      return {
        ...one,
        details,
        candidates: candidatesFor({ ...one, texts }, waiting),
        doubt: doubts.get(doubtKey(one)),
        beyond: details && ruleFor(rules, { ...one, direction: 'in', party: details, text: details.text, day }).why,
      }
    }),
  )
}

/** A deposit that lies in suspense. CONFLICT for any other. */
export async function suspenseDeposit({ db }: Pick<Ctx, 'db'>, id: bigint): Promise<SuspenseDeposit> {
  const [found] = await suspenseDeposits(db, 1, { id })
  if (!found) throw new Refusal('CONFLICT', 'This money is not in suspense.')
  return found
}

/**
 * Gives money in suspense to the transaction that it was for, which is settled as if it had come with the right reference, when it
 * came. Refuses money that has a transaction or is on its way back, or was partly reversed, and a transaction whose
 * customer has not seen payment instructions. Like all that moves money out of suspense, what may be double.
 */
export function matchSuspense(ctx: Ctx, depositId: bigint, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'deposit.matched' }, async (db, transaction) => {
    if (!hasHappened(transaction.history, 'completed')) {
      throw fieldRefusal('CONFLICT', 'transaction', 'Payment instructions for this transaction were never shown.')
    }
    const deposit = await lockSuspense(ctx, db, depositId)
    refuseNow(whyNotMatched(deposit) ?? (await whyOf(whyInDoubt, ctx, db, depositId)))
    const at = ctx.clock.now()
    matchDeposit(db, deposit.id, transaction.id, at)
    await post(db, ctx, [matchEntry(transaction, deposit, at)])
    const arrival = { method: transaction.depositMethod, arrivedAt: deposit.at, finalAt: deposit.at }
    const subject = { transaction, partner: await partnerOf(ctx, transaction) }
    const [paid] = await paymentOf(db, deposit.id)
    const paidBy = await checkPayer(ctx, db, { transaction, deposit: { ...deposit, payment: paid?.payment ?? '' } })
    const change = { kind: 'deposit_matched', deposit, arrival, isSentBack: paidBy === 'return' } as const
    return (await settleNow(ctx, db, subject, change)).transaction
  })
}

type Owned = Pick<SuspenseDeposit, 'transaction_id'>
type Worth = Pick<SuspenseDeposit, 'asset' | 'amount'>

/** Why the rest of a payment lies in no suspense; undefined: it does. What could not be returned of one that an order has can only go back. */
export const whyNotInSuspense = ({ transaction_id: owner }: Owned): string | undefined =>
  owner === null ? undefined : 'This money is not in suspense.'

/** Why money in suspense is given to no order; undefined: it can be. */
export const whyNotMatched = (deposit: Owned & Pick<SuspenseDeposit, 'taken_back'>): string | undefined =>
  whyNotInSuspense(deposit) ??
  (deposit.taken_back > 0n ? 'A part of it was taken back: return what is left.' : undefined)

/** Why money in suspense is not sent back; undefined: it can be. */
export const whyNotReturned = ({ asset, amount }: Worth): string | undefined =>
  refundCost(asset) >= amount ? 'Sending it back costs more than it is worth.' : undefined

/** Why money in suspense is not written off; undefined: it can be. */
export const whyNotWrittenOff = ({ asset, amount, ...deposit }: Worth & Owned): string | undefined =>
  whyNotInSuspense(deposit) ??
  (refundCost(asset) < amount ? 'It is worth more than sending it back costs: return it.' : undefined)

/** What is sent when it is returned: all of it, or what could not be sent back before. */
export async function returnedOf(db: Db, { id, asset, amount }: SuspenseDeposit): Promise<RefundablePart> {
  const [failed] = failedReturns(await refundsOfDeposit(db, id))
  return failed ? unsentOf(db, failed) : { asset, amount, cost: refundCost(asset) }
}

/** The refunds of money in suspense that could not be sent back, or have come back. */
const failedReturns = (all: Refund[]): Refund[] =>
  all.filter(({ state, transaction_id: owner }) => state === 'failed' && owner === null)

/**
 * A deposit in suspense, locked. `amount` is the part that was not reversed, has not ended and is not on its way back. What could not be
 * sent back, or has come back, lies there as if nothing had been tried.
 */
export async function lockSuspense(ctx: Ctx, db: Atomic, depositId: bigint): Promise<Deposit> {
  const deposit = await lockUnlessReversed(db, depositId)
  refuseNow(whyNotInSuspense(deposit) ?? (await whyOf(whyDoubled, ctx, db, depositId)))
  const failed = failedReturns(await lockRefundsOfDeposit(db, depositId))
  const payouts =
    failed.length === 0
      ? []
      : await lockRefundPayouts(
          db,
          failed.map(({ id }) => id),
        )
  const back = await cancelRefunds(ctx, db, { depositId, owner: undefined }, { refunds: failed, payouts })
  const amount = freeOf({ ...deposit, refunded: deposit.refunded - back })
  if (amount === 0n) throw new Refusal('CONFLICT', 'This money is not in suspense.')
  return { ...deposit, amount }
}

/** A deposit, locked against its rail, too. CONFLICT where that has reversed it and this is not booked yet. */
async function lockUnlessReversed(db: Atomic, depositId: bigint): Promise<Deposit> {
  const [paid] = await paymentOf(db, depositId)
  if (!paid) throw new Refusal('NOT_FOUND', 'There is no such deposit.')
  const { rail, payment } = paid
  if (payment !== null) lockOwnPayment(db, { rail, payment })
  const deposit = await lockDeposit(db, depositId)
  if (!deposit) throw new Refusal('NOT_FOUND', 'There is no such deposit.')
  if (payment !== null && (await reversalsToSettle(db, { rail, payment })).length > 0)
    throw new Refusal(
      'CONFLICT',
      'This payment was reversed, but the reversal is not booked yet. Try again in a minute.',
    )
  return deposit
}

async function whyOf(why: typeof whyInDoubt, ctx: Ctx, db: Db, depositId: bigint): Promise<string | undefined> {
  const [paid] = await paymentOf(db, depositId)
  return paid && why(ctx, db, paid)
}

/**
 * Sends money in suspense back the way it came, less the cost of sending it; once more where that came back, or to another account
 * of its sender (`to`). Audited. Gives the refund's public id. Refuses money that has a transaction or is on its way back, what
 * sending would eat up, and another account for what was not tried the way it came.
 */
export async function returnSuspense(
  ctx: Ctx,
  depositId: bigint,
  { reason, actor, to }: StaffOrder & { to?: RefundDestination },
): Promise<bigint> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  return ctx.db.atomic(async (db) => {
    refuseNow(await whyOf(whyInDoubt, ctx, db, depositId))
    const again = await sendFailedAgain(ctx, db, depositId, to)
    if (again === undefined && to)
      throw fieldRefusal('CONFLICT', 'refund_address', 'It was not tried yet to return it the way it came.')
    const id = again ?? (await orderReturn(ctx, db, depositId))
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'deposit.returned',
      subject: `deposit:${depositId}`,
      before: null,
      after: { refund: String(id), reason, elsewhere: to !== undefined },
    })
    return id
  })
}

/**
 * Keeps money in suspense that is worth no more than sending it back would cost: nothing is owed for it any more. Audited. Refuses
 * money that has a transaction or is on its way back, and what can be returned (CONFLICT).
 */
export async function writeOffSuspense(ctx: Ctx, depositId: bigint, { reason, actor }: StaffOrder): Promise<void> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  await ctx.db.atomic(async (db) => {
    const deposit = await lockSuspense(ctx, db, depositId)
    refuseNow(whyNotWrittenOff(deposit))
    const { id, asset, amount } = deposit
    const at = ctx.clock.now()
    await post(db, ctx, [writeOffEntry(undefined, { ref: await ctx.rowIds.next(), asset, amount }, at)])
    useDeposits(db, [{ id, exchanged: 0n, refunded: amount }])
    recordAudit(db, {
      at,
      actor,
      action: 'deposit.written_off',
      subject: `deposit:${depositId}`,
      before: null,
      after: { asset, amount: String(amount), reason },
    })
  })
}

async function sendFailedAgain(
  ctx: Ctx,
  db: Atomic,
  depositId: bigint,
  to: RefundDestination | undefined,
): Promise<bigint | undefined> {
  const deposit = await lockUnlessReversed(db, depositId)
  const [failed] = failedReturns(await lockRefundsOfDeposit(db, depositId))
  // What was reversed meanwhile is not sent once more, unless the payment is a transaction's by now: then this part of it ends no other way.
  if (!failed || (deposit.state !== 'final' && deposit.transaction_id === null)) return undefined
  if (to) await orderRedirected(ctx, db, { refund: failed, transaction: undefined }, to)
  else {
    transition(db, refunds, [{ id: failed.id }], 'failed', 'ordered')
    enqueueRefunds(ctx, db, [failed])
  }
  return failed.public_id
}

async function orderReturn(ctx: Ctx, db: Atomic, depositId: bigint): Promise<bigint> {
  const { id, asset, amount } = await lockSuspense(ctx, db, depositId)
  const cost = refundCost(asset)
  refuseNow(whyNotReturned({ asset, amount }))
  const what = { transactionId: null, depositId: id, asset, amount, cost, reason: 'It came without a reference.' }
  const [refund] = await orderRefunds(ctx, db, [what])
  if (!refund) throw new Error('A refund was not ordered.')
  useDeposits(db, [{ id, exchanged: 0n, refunded: amount }])
  return refund.public_id
}
