import type { Atomic, Db } from '../../platform/db/sql.ts'

/** The state of a check: nothing shown, the document shown, something to be shown again, in review by a person, decided. */
export type CheckState = 'open' | 'document' | 'needs_info' | 'in_review' | 'approved' | 'rejected'

/** A person who is checked. `changes` counts the states. */
export type ApplicantRow = { applicantId: string; state: CheckState; changes: number; changedAt: Date }

/** Takes a person up, once for a reference, and gives the id that the reference has. */
export const takeUp = (
  db: Db,
  row: { applicantId: string; reference: string; at: Date },
): Promise<{ applicantId: string }[]> =>
  db.sql`
    insert into sandbox.identity_applicants (applicant_id, reference, state, changed_at)
    values (${row.applicantId}, ${row.reference}, 'open', ${row.at})
    on conflict (reference) do update set reference = excluded.reference
    returning applicant_id as "applicantId"`

/** Reads a person. */
export const applicant = (db: Db, applicantId: string): Promise<ApplicantRow[]> =>
  db.sql`
    select applicant_id as "applicantId", state, changes, changed_at as "changedAt"
    from sandbox.identity_applicants where applicant_id = ${applicantId}`

/** Moves a check from one of some states to another; does nothing in other states. */
export const move = (
  db: Atomic,
  change: { applicantId: string; from: CheckState[]; to: CheckState; at: Date },
): Promise<ApplicantRow[]> =>
  db.sql`
    update sandbox.identity_applicants set state = ${change.to}, changes = changes + 1, changed_at = ${change.at}
    where applicant_id = ${change.applicantId} and state = any(${change.from})
    returning applicant_id as "applicantId", state, changes, changed_at as "changedAt"`
