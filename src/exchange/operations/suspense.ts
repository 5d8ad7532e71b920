import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { freeOf, lockDeposit, matchDeposit, suspenseDeposits, useDeposits } from '../settlement/deposit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { suspense } from '../ledger/account.ts'
import { post } from '../ledger/post.ts'
import { lockRefundPayouts, lockRefundsOf, markRefunds, orderRefunds, refundDue } from '../settlement/refund.ts'
import { matchEntry, suspenseWriteOffEntry } from '../settlement/book.ts'
import { byStaff, type StaffOrder } from './by-staff.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { goOn } from '../settlement/go-on.ts'
import { emptyOutcome, writeOutcome } from '../settlement/outcome.ts'
import { refundCost } from '../settlement/refund-cost.ts'
import { orderElsewhere, type WrittenWay } from '../settlement/refund-elsewhere.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { cancelRefunds } from '../settlement/undo.ts'

/** Money that arrived and is nobody's that we know. `amount` in the asset's smallest unit; `reference` as the rail told it. */
export type SuspenseDeposit = {
  id: bigint
  rail: string
  reference: string
  asset: string
  amount: bigint
  at: Date
}

/** The most that one look gives. */
const most = 1_000

/** What lies in suspense and is not on its way back, oldest first. */
export async function listSuspense({ db }: Pick<Ctx, 'db'>): Promise<SuspenseDeposit[]> {
  const rows = await suspenseDeposits(db, most)
  return rows.map(({ id, rail, reference, asset, amount, at }) => ({ id, rail, reference, asset, amount, at }))
}

/**
 * Gives money of nobody's to the transaction that it was for, which goes on as if it had come with the right reference, when it
 * came. Refuses money that is somebody's or on its way back, or of which a part was taken back, and a transaction whose customer
 * has not been told how to pay.
 */
export function matchSuspense(ctx: Ctx, depositId: bigint, publicId: bigint, order: StaffOrder): Promise<Transaction> {
  return byStaff(ctx, publicId, { ...order, action: 'deposit.matched' }, async (db, transaction) => {
    if (!hasHappened(transaction.history, 'completed')) {
      throw new Refusal('CONFLICT', 'Nobody was told how to pay for this transaction.')
    }
    await forgetFailed(ctx, db, depositId)
    const deposit = await lockNobodys(db, depositId)
    if (deposit.taken_back > 0n) throw new Refusal('CONFLICT', 'A part of it was taken back: return what is left.')
    const at = ctx.clock.now()
    matchDeposit(db, deposit.id, transaction.id, at)
    await post(db, ctx, [matchEntry(transaction, deposit, at)])
    const outcome = emptyOutcome()
    await goOn(ctx, db, outcome, {
      transaction,
      partner: await partnerOf(ctx, transaction),
      cause: { kind: 'deposit_matched', id: deposit.id },
      reason: 'Money was found to be for this transaction.',
      arrival: { cameBy: transaction.depositMethod, arrivedAt: deposit.at, toldAt: deposit.at },
    })
    const [moved] = await writeOutcome(ctx, db, outcome)
    if (!moved) throw new Error('The transaction did not move.')
    return moved
  })
}

/** Money that could not be sent back, or has come back from there, lies in suspense as if nobody had tried. */
async function forgetFailed(ctx: Ctx, db: Atomic, depositId: bigint): Promise<void> {
  await lockDeposit(db, depositId)
  const refunds = (await lockRefundsOf(db, depositId)).filter(
    ({ state, transaction_id: owner }) => state === 'failed' && owner === null,
  )
  const ids = refunds.map(({ id }) => id)
  if (ids.length === 0) return
  await cancelRefunds(ctx, db, { depositId, owner: suspense }, { refunds, payouts: await lockRefundPayouts(db, ids) })
}

/** Money of nobody's that goes nowhere, locked. `amount` is what of it was not taken back. */
async function lockNobodys(db: Atomic, depositId: bigint) {
  const [deposit] = await lockDeposit(db, depositId)
  if (!deposit) throw new Refusal('NOT_FOUND', 'There is no such deposit.')
  const amount = freeOf(deposit)
  const isInSuspense = deposit.transaction_id === null && amount > 0n
  if (!isInSuspense || amount !== deposit.amount - deposit.taken_back) {
    throw new Refusal('CONFLICT', 'This money does not lie in suspense.')
  }
  return { ...deposit, amount }
}

/**
 * Sends money of nobody's back the way it came, less the cost of sending it; once more where that came back, or to another account
 * of whoever paid (`to`). Audited. Gives the refund's public id. Refuses money that is somebody's or on its way back, what sending
 * would eat up, and another account for what was not tried the way it came.
 */
export async function returnSuspense(
  ctx: Ctx,
  depositId: bigint,
  { reason, actor, to }: StaffOrder & { to?: WrittenWay },
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
 * Keeps money of nobody's that is worth no more than sending it back would cost: nothing is owed for it any more. Audited. Refuses
 * money that is somebody's or on its way back, and what can be returned (CONFLICT).
 */
export async function writeOffSuspense(ctx: Ctx, depositId: bigint, { reason, actor }: StaffOrder): Promise<void> {
  if (reason.trim() === '') throw new Refusal('BAD_REQUEST', 'A reason is required.')
  await ctx.db.atomic(async (db) => {
    const { id, asset, amount } = await lockNobodys(db, depositId)
    if (refundCost(asset) < amount)
      throw new Refusal('CONFLICT', 'It is worth more than sending it back costs: return it.')
    const at = ctx.clock.now()
    await post(db, ctx, [suspenseWriteOffEntry({ ref: await ctx.rowIds.next(), asset, amount }, at)])
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
  to: WrittenWay | undefined,
): Promise<bigint | undefined> {
  const [deposit] = await lockDeposit(db, depositId)
  const failed = (await lockRefundsOf(db, depositId)).find(
    ({ state, transaction_id: owner }) => state === 'failed' && owner === null,
  )
  // What was taken back meanwhile is not sent once more.
  if (!failed || deposit?.state !== 'final') return undefined
  if (to) {
    await orderElsewhere(ctx, db, { refund: failed, transaction: undefined }, to)
    return failed.public_id
  }
  markRefunds(db, [failed.id], 'ordered')
  ctx.queue.enqueue(db, [{ kind: refundDue, key: String(failed.id), runAt: ctx.clock.now() }])
  return failed.public_id
}

async function orderReturn(ctx: Ctx, db: Atomic, depositId: bigint): Promise<bigint> {
  const { id, asset, amount } = await lockNobodys(db, depositId)
  const cost = refundCost(asset)
  if (cost >= amount) throw new Refusal('CONFLICT', 'Sending it back costs more than it is worth.')
  const what = { transactionId: null, depositId: id, asset, amount, cost, reason: 'It came without a reference.' }
  const [refund] = await orderRefunds(ctx, db, [what])
  if (!refund) throw new Error('A refund was not ordered.')
  useDeposits(db, [{ id, exchanged: 0n, refunded: amount }])
  return refund.public_id
}
