import type { Ctx } from '../context.ts'
import { permissionsOf, type Role } from '../operators/roles.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { areRefundsAbove } from '../settlement/approval-limit.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** FORBIDDEN where more goes back of an order than the role of the operator who ordered it may refund, by the policy `approvals`. */
export async function refuseAboveLimit(ctx: Ctx, db: Atomic, transaction: Transaction, actor: string): Promise<void> {
  const [operator] = await db.sql<{ role: Role }>`
    select role from operators where ${actor} = 'operator:' || id`
  if (!operator || permissionsOf[operator.role].has('orders.refund_any')) return
  const { rules } = ctx.policies.at(ctx.clock.now(), 'approvals', transaction.partnerId)
  const limit = rules.supportRefundsUpToEurCents
  if (!(await areRefundsAbove(ctx, db, transaction, limit))) return
  const sentence = `Your role may refund up to ${formatAmount(limit, { decimals: 2 })} EUR of an order. Ask compliance or an administrator.`
  throw new Refusal('FORBIDDEN', sentence)
}
