import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import { lockTransaction } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** A decision of the operator's staff: who, and why. The reason is required, is audited, and never names a person's data. */
export type StaffOrder = { reason: string; actor: string }

/** Does what staff has decided about a locked transaction, and writes down who did, why, and what was before. */
export async function byStaff(
  ctx: Ctx,
  publicId: bigint,
  { reason, actor, action }: StaffOrder & { action: AuditAction },
  act: (db: Atomic, transaction: Transaction) => Promise<Transaction>,
): Promise<Transaction> {
  if (reason.trim() === '') throw badField('reason', 'A reason is required.')
  return ctx.db.atomic(async (db) => {
    const before = await lockTransaction(ctx, db, publicId)
    if (!before) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const after = await act(db, before)
    const known = new Set(before.refunds.map(({ publicId: id }) => id))
    const ordered = after.refunds.flatMap(({ publicId: id }) => (known.has(id) ? [] : [String(id)]))
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action,
      subject: `transaction:${publicId}`,
      before: { status: before.status, status_details: before.statusDetails },
      after: {
        status: after.status,
        status_details: after.statusDetails,
        reason,
        // Who approves a refund is shown who has ordered it.
        ...(ordered.length > 0 ? { refunds: ordered } : {}),
      },
    })
    return after
  })
}
