import type { Db } from '../../platform/db/sql.ts'
import { approvalsOfAll, approversOfAll } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { ApprovalDeps } from '../approvals/deps.ts'
import * as queries from './policies.sql.ts'

/** In whose name the service puts in force what ships with a release, and what operators have approved or rejected. */
export const shippedBy = 'system'
export const decidedBy = 'approvals'

type PolicyName = Pick<queries.PolicyRow, 'id'>

/** What operators sign of a policy. */
export const policyContent = (row: Omit<queries.PolicyRow, 'approvedAt' | 'rejectedAt'>): Content => ({
  kind: 'policy',
  id: String(row.id),
  policy: row.kind,
  version: row.version,
  partner: row.partnerId === null ? null : String(row.partnerId),
  document: row.document,
  effective_at: row.effectiveAt.toISOString(),
  author: row.author,
  reason: row.reason,
})

/** What the service writes down when a policy has the approvals that it needs, and when somebody has rejected it. */
export const inForceContent = ({ id }: PolicyName): Content => ({ kind: 'policy_in_force', id: String(id) })
export const rejectedContent = ({ id }: PolicyName): Content => ({ kind: 'policy_rejected', id: String(id) })

/** What was approved and not rejected since, in the order of effect; and what the rows alone say otherwise. */
export type PolicyDecisions = { inForce: queries.ApprovedRow[]; disputed: queries.PolicyRow[] }

/**
 * Which versions hold, by who approved them: not by columns that anybody with the service's database role can write. It holds from its
 * own time on, or from its last approval, whichever is later. Where two operators are needed, two have signed it.
 */
export async function decidedPolicies(deps: ApprovalDeps, db: Db): Promise<PolicyDecisions> {
  const rows = await queries.all(db)
  const approvals = await approversOfAll(deps, db, rows.map(policyContent))
  const marked = await approvalsOfAll(deps, db, rows.map(inForceContent))
  const rejected = await approvalsOfAll(deps, db, rows.map(rejectedContent))
  const needed = deps.config.environment.twoOperators ? 2 : 0
  const decided: PolicyDecisions = { inForce: [], disputed: [] }
  for (const row of rows) {
    const [id, [mark]] = [String(row.id), marked.get(String(row.id)) ?? []]
    const isEnough =
      mark !== undefined &&
      (mark.carriedOver || mark.approver === shippedBy || (approvals.get(id)?.length ?? 0) >= needed)
    const isRejected = (rejected.get(id)?.length ?? 0) > 0
    if (isEnough && !isRejected) {
      decided.inForce.push({ ...row, effectiveAt: row.effectiveAt > mark.at ? row.effectiveAt : mark.at })
    }
    if (isEnough !== (row.approvedAt !== null) || isRejected !== (row.rejectedAt !== null)) decided.disputed.push(row)
  }
  decided.inForce.sort(
    (one, other) => one.effectiveAt.getTime() - other.effectiveAt.getTime() || (one.id < other.id ? -1 : 1),
  )
  return decided
}
