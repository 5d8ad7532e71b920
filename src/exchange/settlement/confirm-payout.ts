import { approve } from '../approvals/approve.ts'
import type { Ctx } from '../context.ts'
import { operatorSubject } from '../operators/operator.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { lockBank } from '../../rails/iso20022/lease.ts'
import {
  approvalsOfBoth,
  auditEnd,
  confirmedContent,
  type EndedPayout,
  type EndOrder,
  needed,
  type PayoutToEnd,
  payoutToEnd,
} from './end-payout.ts'
import { receiveRailEvents } from './rail-event.ts'
import { reverseOwnDebit } from './reverse-own-money.ts'

/** Why a payout cannot be said to be paid; undefined: two operators can. */
export const whyNotConfirmed = ({ difference }: PayoutToEnd): string | undefined =>
  difference
    ? difference.obstacle
    : 'No difference that operators have booked at its bank may have its debit: a status report or a statement says that it is paid.'

/**
 * One operator's approval of counting a payment as paid that the bank never answered: its debit is in what was booked of a difference.
 * With the second one it is; what that amount was booked as is booked back, and what is left of it has no order again.
 */
export async function confirmPayout(
  ctx: Ctx,
  id: bigint,
  { operator, reason, sign }: Omit<EndOrder, 'isLacking'>,
): Promise<EndedPayout> {
  return ctx.db.atomic(async (db) => {
    await lockBank(db, (await payoutToEnd(ctx, id, db)).rail)
    const payout = await payoutToEnd(ctx, id, db)
    refuseNow(whyNotConfirmed(payout))
    const { rail, plan_key: key, difference } = payout
    const half = ctx.rails.payout(rail)?.payout
    if (!difference || key === null || !half?.bookPaid) throw new Refusal('CONFLICT', 'It cannot be in a difference.')
    const actor = operatorSubject(operator)
    const { end } = await approvalsOfBoth(ctx, db, payout)
    refuseNow(
      end.some((other) => other !== actor)
        ? 'Another operator wants to end this payment: they confirm it first, if it is paid after all.'
        : undefined,
    )
    const { length: approvals } = await approve(ctx, db, confirmedContent(payout), { actor, sign })
    auditEnd(ctx, db, { id, actor, reason, approvals, paidIn: difference.payment })
    const isEnded = approvals >= needed
    if (isEnded) {
      await reverseOwnDebit(ctx, db, { rail, payment: difference.payment })
      await half.bookPaid(db, key, (block, events) => receiveRailEvents(ctx, block, events))
    }
    return { payoutId: id, approvals, needed, isEnded }
  })
}
