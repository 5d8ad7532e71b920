import type { NewEmail, OrderEmailKind } from '../mail/email.ts'
import type { Status } from './lifecycle.ts'
import type { Cause, ChangeKind } from './status-history.ts'
import type { Transaction } from './transaction.ts'

/** What customers are emailed about: the cause of a status change, and the statuses in which it is worth an email. */
const emailed: Partial<Record<ChangeKind, { kind: OrderEmailKind; to: readonly Status[] }>> = {
  completed: { kind: 'order_received', to: ['waiting_for_deposit'] },
  // An order that is held instead asks its customer something, or is reviewed.
  deposit_final: { kind: 'money_received', to: ['exchanging'] },
  deposit_matched: { kind: 'money_received', to: ['exchanging'] },
  payout_paid: { kind: 'sent', to: ['finished'] },
  refund_paid: { kind: 'refunded', to: ['finished', 'refunded'] },
  deadline_passed: { kind: 'expired', to: ['expired'] },
}

/** The email of a status change. None for institutions, for erased customers and without an address. */
export function emailsOf({ cause }: { cause: Cause }, transaction: Transaction): NewEmail[] {
  const { id, kind: customerKind, status, personal, dataKey, isErased = false } = transaction
  const about = emailed[cause.kind]
  if (!about?.to.includes(status) || customerKind === 'b2b' || isErased || personal.email === null) return []
  return [{ to: personal.email, kind: about.kind, dataKey, transactionId: id }]
}
