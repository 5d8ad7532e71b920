import { approve, approversOfAll } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { eventOf, paymentOf as bankPaymentOf } from '../../rails/iso20022/booking/events.ts'
import {
  bookingOfFinding,
  type NotifiedBooking,
  notifiedBooking,
  whyNotDoubtful,
  whyNotWithdrawn,
  withdrawBooking,
} from '../../rails/iso20022/booking/withdraw.ts'
import { lockBank } from '../../rails/iso20022/lease.ts'
import { showBreak } from '../reconciliation/breaks.ts'
import * as breaks from '../reconciliation/breaks.sql.ts'
import { enqueueComparison } from '../reconciliation/compare-statements.ts'
import { giveChargeBack } from '../settlement/charges.ts'
import { lockDepositOfPayment } from '../settlement/deposit.ts'
import { reverseOwnDebit } from '../settlement/reverse-own-money.ts'
import { receiveRailEvents } from '../settlement/rail-event.ts'
import { whyReturnStays, withdrawReturn } from '../settlement/withdraw-return.ts'
import { type BreakWithGap, differenceContent, withGap } from './book-difference.ts'
import type { StaffOrder } from './by-staff.ts'

/** How many operators withdraw a booking, since what was credited by it is owed no more. */
const needed = 2

/** What is approved: which booking, and how much of it. */
export const withdrawalContent = ({ id, account, asset, key, amount }: breaks.BreakRow): Content => ({
  kind: 'bank_booking',
  id: String(id),
  rail: account,
  booking: String(bookingOfFinding(key) ?? ''),
  asset,
  amount: String(amount),
})

/** Breaks, each with who has approved the withdrawal of its booking, or of what lies between two statements. */
export async function withApprovers(
  ctx: Ctx,
  rows: readonly breaks.BreakRow[],
): Promise<(BreakWithGap & { approved_by: string[] })[]> {
  const all = await Promise.all(rows.map((row) => withGap(ctx.db, row)))
  const booked = await approversOfAll(ctx, ctx.db, all.map(differenceContent))
  const withdrawn = await approversOfAll(ctx, ctx.db, all.map(withdrawalContent))
  const by = (id: string) => [...new Set([booked, withdrawn].flatMap((given) => given.get(id) ?? []))]
  return all.map((row) => ({ ...row, approved_by: by(String(row.id)) }))
}

/** Why the booking of a break cannot be withdrawn; undefined: two operators can. */
export async function whyBookingStays({ db }: { db: Db }, row: breaks.BreakRow): Promise<string | undefined> {
  const id = row.kind === 'statement' ? bookingOfFinding(row.key) : undefined
  if (id === undefined) return 'This break is not about a booking that its statement lacks.'
  if (row.state !== 'open') return `This break is ${row.state}.`
  const booking = await notifiedBooking(db, row.account, id)
  const why = whyNotWithdrawn(booking) ?? (await whyNotDoubtful(db, booking))
  if (why !== undefined || booking?.kind !== 'payout_returned' || booking.payment_key === null) return why
  return (await isInSuspense(db, row.account, bankPaymentOf(id)))
    ? undefined
    : whyReturnStays(db, { rail: row.account, key: booking.payment_key })
}

/** Whether what came back lies in suspense. What lay there until its statement said which payout it was of lies there no more. */
async function isInSuspense(db: Db, rail: string, payment: string): Promise<boolean> {
  const deposit = await lockDepositOfPayment(db, rail, payment)
  return deposit !== undefined && deposit.amount > deposit.taken_back
}

/** A booking that says that a payout came back: the payout has not, or, where no payout of ours had, what lies in suspense is not there. */
async function withdrawBankReturn(
  ctx: Ctx,
  db: Atomic,
  rail: string,
  { id, payment_key: key, amount, asset }: NotifiedBooking,
): Promise<void> {
  if (key === null) return
  const payment = bankPaymentOf(id)
  if (!(await isInSuspense(db, rail, payment))) return withdrawReturn(ctx, db, { rail, key, amount })
  await receiveRailEvents(ctx, db, [{ ...eventOf({ id, reference: key, asset, amount }, 'withdrawn'), rail }])
}

/**
 * One operator's approval of withdrawing a booking that a bank reported and its statement does not have, or the amount that stood for what
 * nobody knew before a statement, where what came since differs from it. With the second one, what was
 * credited by it is reversed: what was paid out already is our loss, and no mark of the customer's. What it reversed is given back, a
 * charge is booked back, and a payout is owed again.
 */
export async function withdrawBankBooking(
  ctx: Ctx,
  id: bigint,
  { actor, reason, sign }: StaffOrder & { sign?: Sign | undefined },
): Promise<{ approvals: number; needed: number; row: breaks.BreakRow }> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const at = ctx.clock.now()
  return ctx.db.atomic(async (db) => {
    await lockBank(db, (await showBreak({ db }, id)).account)
    breaks.lockBreaks(db)
    const row = await showBreak({ db }, id)
    refuseNow(await whyBookingStays({ db }, row))
    const approvers = await approve(ctx, db, withdrawalContent(row), { actor, sign })
    const isDone = approvers.length >= needed
    recordAudit(db, {
      at,
      actor,
      action: 'bank_booking.withdrawn',
      subject: `break:${id}`,
      before: { state: row.state, amount: String(row.amount), asset: row.asset },
      after: { booking: row.key, rail: row.account, reason, approvals: approvers.length },
    })
    if (!isDone) return { approvals: approvers.length, needed, row }
    const booking = await notifiedBooking(db, row.account, bookingOfFinding(row.key) ?? 0n)
    if (!booking) throw new Error(`The booking of the break ${id} is gone.`)
    const { events, uncharged } = withdrawBooking(db, row.account, booking)
    await receiveRailEvents(ctx, db, events)
    if (booking.kind === 'unexplained')
      await reverseOwnDebit(ctx, db, { rail: row.account, payment: bankPaymentOf(booking.id) })
    if (uncharged) await giveChargeBack(ctx, db, uncharged)
    if (booking.kind === 'payout_returned') await withdrawBankReturn(ctx, db, row.account, booking)
    const [resolved] = await breaks.resolve(db, { id, actor, reason, at })
    if (!resolved) throw new Refusal('CONFLICT', 'This break is not open.')
    // What another break was about may fit by now.
    enqueueComparison(ctx, db, { id: booking.file_id })
    return { approvals: approvers.length, needed, row: resolved }
  })
}
