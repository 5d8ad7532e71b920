import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import type { StatusChange } from './status-history.ts'

/** The policies that a status change was decided by. `number`: its place in the status history. */
export type DecisionPolicies = { transactionId: bigint; number: number; policies: PolicyVersions }

export const insertDecisionPolicies = (db: Atomic, rows: readonly DecisionPolicies[]): void =>
  db.send`
    insert into decision_policies (transaction_id, number, policies)
    select * from unnest(
      ${rows.map(({ transactionId }) => transactionId)}::bigint[], ${rows.map(({ number }) => number)}::integer[],
      ${rows.map(({ policies }) => JSON.stringify(policies))}::jsonb[])`

/** The policies that decided about a transaction, by the change that followed. */
export async function decisionPoliciesOf(
  db: Db,
  transactionId: bigint,
): Promise<(change: StatusChange) => PolicyVersions | undefined> {
  const rows = await db.sql<Pick<StatusChange, 'kind' | 'subjectId' | 'occurrence'> & { policies: PolicyVersions }>`
    select kind, subject_id as "subjectId", occurrence, policies
    from decision_policies join status_history using (transaction_id, number) where transaction_id = ${transactionId}`
  const keyOf = ({ kind, subjectId, occurrence }: Pick<StatusChange, 'kind' | 'subjectId' | 'occurrence'>): string =>
    `${kind} ${subjectId} ${occurrence}`
  const known = new Map(rows.map((row) => [keyOf(row), row.policies]))
  return (change) => known.get(keyOf(change))
}
