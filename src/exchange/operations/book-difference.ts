import { approve } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { badField, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { gapOf } from '../../rails/iso20022/booking/gap.ts'
import { skipNumbers } from '../../rails/iso20022/files.ts'
import { lockBank } from '../../rails/iso20022/lease.ts'
import type { StatementGap } from '../../rails/statement.ts'
import { showBreak } from '../reconciliation/breaks.ts'
import type * as breaks from '../reconciliation/breaks.sql.ts'
import { enqueueComparison } from '../reconciliation/compare-statements.ts'
import { receiveRailEvents } from '../settlement/rail-event.ts'
import type { StaffOrder } from './by-staff.ts'

/** How many operators decide about what lies between two statements. */
const needed = 2

/** A break, with what lies between two statements if it is about that. */
export type BreakWithGap = breaks.BreakRow & { gap: StatementGap | undefined }

export const withGap = async (db: Db, row: breaks.BreakRow): Promise<BreakWithGap> => ({
  ...row,
  gap: row.kind === 'statement' && row.state !== 'cleared' ? await gapOf(db, { ...row, rail: row.account }) : undefined,
})

/** What is approved: all that lies in the gap then, and the unexplained rest. */
export const differenceContent = ({ id, account, key, gap }: BreakWithGap): Content => ({
  kind: 'bank_booking',
  id: String(id),
  rail: account,
  gap: key,
  asset: gap?.asset,
  amount: String(gap?.rest ?? 0n),
  known: gap?.known.join(' '),
  numbers: gap?.numbers.map(({ first, last }) => `${first}-${last}`).join(' '),
})

/** Why what a break is about cannot be booked as a difference; undefined: two operators can. */
export function whyNotBooked({ state, gap }: BreakWithGap): string | undefined {
  // One person could resolve such a break once.
  if (state !== 'open' && !(state === 'resolved' && gap)) return `This break is ${state}.`
  if (!gap) return 'This break is not about what lies between two statements that have come.'
  if (gap.rest === 0n && gap.known.length + gap.numbers.length === 0) return 'It is decided about, or filled, by now.'
  if (gap.isBooked && gap.rest !== 0n)
    return 'A difference was booked before, and does not fit any more: withdraw that first.'
  if (gap.early.length > 0) return `Wait for a later statement: it may have ${gap.early.join(', ')}.`
  return gap.waiting.length === 0
    ? undefined
    : `No statement has ${gap.waiting.join(', ')} of these days. End its break first: withdraw it, or resolve it if the bank has it after all.`
}

/**
 * One operator's approval of booking what lies between two statements. With the second one, what is known to lie there does, the rest
 * is money without an order, in suspense or among the debits, and the missing numbers are no longer expected.
 */
export async function bookDifference(
  ctx: Ctx,
  id: bigint,
  { actor, reason, sign }: StaffOrder & { sign?: Sign | undefined },
): Promise<{ approvals: number; needed: number; row: breaks.BreakRow }> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  const at = ctx.clock.now()
  return ctx.db.atomic(async (db) => {
    await lockBank(db, (await showBreak({ db }, id)).account)
    const row = await withGap(db, await showBreak({ db }, id))
    refuseNow(whyNotBooked(row))
    const { gap } = row
    if (!gap) throw new Refusal('CONFLICT', 'This break has ended.')
    const approvers = await approve(ctx, db, differenceContent(row), { actor, sign })
    recordAudit(db, {
      at,
      actor,
      action: 'bank_booking.added',
      subject: `break:${id}`,
      before: { state: row.state, amount: String(row.amount), asset: row.asset },
      after: { rest: String(gap.rest), known: gap.known, rail: gap.rail, reason, approvals: approvers.length },
    })
    if (approvers.length < needed) return { approvals: approvers.length, needed, row }
    const rail = ctx.rails.all.find(({ name }) => name === gap.rail)
    if (!rail?.bookGap) throw new Error(`There is no rail ${gap.rail} in this process.`)
    await rail.bookGap(db, gap, (block, events) => receiveRailEvents(ctx, block, events))
    for (const one of gap.numbers) skipNumbers(db, { ...one, rail: gap.rail, account: gap.account, reason, actor, at })
    enqueueComparison(ctx, db, { id: gap.file })
    return { approvals: approvers.length, needed, row }
  })
}
