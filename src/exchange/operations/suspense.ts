import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { post } from '../ledger/post.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { cancelRefunds } from '../settlement/cancel-refunds.ts'
import {
  freeOf,
  lockDeposit,
  matchDeposit,
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
} from '../settlement/refund.ts'
import { settleNow } from '../settlement/settle.ts'
import { transition } from '../settlement/transition.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'

export type { SuspenseDeposit } from '../settlement/deposit.ts'

/** The most that one look gives. */
const most = 1_000

/** The deposits that lie in suspense and are not on their way back, oldest first. */
export const listSuspense = ({ db }: Pick<Ctx, 'db'>): Promise<SuspenseDeposit[]> => suspenseDeposits(db, most)

/**
 * Gives money in suspense to the transaction that it was for, which is settled as if it had come with the right reference, when it
 * came. Refuses money that has a transaction or is on its way back, or was partly reversed, and a transaction whose
 * customer has not seen payment instructions.
 */
export function matchSuspense(ctx: Ctx, depositId: bigint, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'deposit.matched' }, async (db, transaction) => {
    if (!hasHappened(transaction.history, 'completed')) {
      throw new Refusal('CONFLICT', 'Payment instructions for this transaction were never shown.')
    }
    await cancelFailedReturn(ctx, db, depositId)
    const deposit = await lockSuspense(db, depositId)
    if (deposit.taken_back > 0n) throw new Refusal('CONFLICT', 'A part of it was taken back: return what is left.')
    const at = ctx.clock.now()
    matchDeposit(db, deposit.id, transaction.id, at)
    await post(db, ctx, [matchEntry(transaction, deposit, at)])
    const arrival = { method: transaction.depositMethod, arrivedAt: deposit.at, finalAt: deposit.at }
    const subject = { transaction, partner: await partnerOf(ctx, transaction) }
    return (await settleNow(ctx, db, subject, { kind: 'deposit_matched', deposit, arrival })).transaction
  })
}

/** The refunds of money in suspense that could not be sent back, or have come back. */
const failedReturns = (all: Refund[]): Refund[] =>
  all.filter(({ state, transaction_id: owner }) => state === 'failed' && owner === null)

/** Money that could not be sent back, or has come back, lies in suspense as if nothing had been tried. */
async function cancelFailedReturn(ctx: Ctx, db: Atomic, depositId: bigint): Promise<void> {
  await lockDeposit(db, depositId)
  const failed = failedReturns(await lockRefundsOfDeposit(db, depositId))
  const ids = failed.map(({ id }) => id)
  if (ids.length === 0) return
  const payouts = await lockRefundPayouts(db, ids)
  await cancelRefunds(ctx, db, { depositId, owner: undefined }, { refunds: failed, payouts })
}

/** A deposit in suspense that is not on its way back, locked. `amount` is the part that was not reversed. */
async function lockSuspense(db: Atomic, depositId: bigint) {
  const deposit = await lockDeposit(db, depositId)
  if (!deposit) throw new Refusal('NOT_FOUND', 'There is no such deposit.')
  const amount = freeOf(deposit)
  const isInSuspense = deposit.transaction_id === null && amount > 0n
  if (!isInSuspense || amount !== deposit.amount - deposit.taken_back) {
    throw new Refusal('CONFLICT', 'This money is not in suspense.')
  }
  return { ...deposit, amount }
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
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  return ctx.db.atomic(async (db) => {
    const again = await sendFailedAgain(ctx, db, depositId, to)
    if (again === undefined && to) throw new Refusal('CONFLICT', 'It was not tried yet to return it the way it came.')
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
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  await ctx.db.atomic(async (db) => {
    const { id, asset, amount } = await lockSuspense(db, depositId)
    if (refundCost(asset) < amount)
      throw new Refusal('CONFLICT', 'It is worth more than sending it back costs: return it.')
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
  const deposit = await lockDeposit(db, depositId)
  const [failed] = failedReturns(await lockRefundsOfDeposit(db, depositId))
  // What was reversed meanwhile is not sent once more.
  if (!failed || deposit?.state !== 'final') return undefined
  if (to) await orderRedirected(ctx, db, { refund: failed, transaction: undefined }, to)
  else {
    transition(db, refunds, [{ id: failed.id }], 'failed', 'ordered')
    enqueueRefunds(ctx, db, [failed])
  }
  return failed.public_id
}

async function orderReturn(ctx: Ctx, db: Atomic, depositId: bigint): Promise<bigint> {
  const { id, asset, amount } = await lockSuspense(db, depositId)
  const cost = refundCost(asset)
  if (cost >= amount) throw new Refusal('CONFLICT', 'Sending it back costs more than it is worth.')
  const what = { transactionId: null, depositId: id, asset, amount, cost, reason: 'It came without a reference.' }
  const [refund] = await orderRefunds(ctx, db, [what])
  if (!refund) throw new Error('A refund was not ordered.')
  useDeposits(db, [{ id, exchanged: 0n, refunded: amount }])
  return refund.public_id
}
