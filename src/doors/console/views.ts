import { recordAudit } from '../../exchange/audit/audit.ts'
import type { AuditSubject } from '../../exchange/audit/nouns.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import type { Visit } from './page.ts'

/** Whether somebody may read where a payout goes, whose it is, and why: who approves must know. */
export const mayReadPayouts = ({ may }: Visit): boolean => may('payouts.approve') || may('customers.view')

/** Whether somebody may read who paid, and what is written with it. */
export const mayReadPayers = ({ may }: Visit): boolean => may('customers.view') || may('money.resolve')

/** Personal data that somebody looked at is in the audit. */
export const noteViews = (
  { ctx, operator }: Visit,
  action: 'transaction.viewed' | 'customer.viewed' | 'payout.viewed' | 'suspense.viewed',
  subjects: Iterable<AuditSubject>,
): Promise<void> =>
  ctx.db.atomic((db) => {
    const actor = operatorSubject({ id: operator.operatorId })
    for (const subject of new Set(subjects))
      recordAudit(db, { at: ctx.clock.now(), actor, action, subject, before: null, after: null })
    return Promise.resolve()
  })
