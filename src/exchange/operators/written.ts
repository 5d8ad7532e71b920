import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { provenPeople } from '../approvals/approvals.sql.ts'
import { vouch } from '../approvals/approve.ts'
import type { ApprovalDeps } from '../approvals/deps.ts'
import { isAsWritten, personContent } from '../approvals/people.ts'

/** Vouches, in the caller's block, for an operator as the row is now: who that is, and what signs them in. */
export async function vouchFor(deps: ApprovalDeps, db: Atomic, id: bigint, actor: string): Promise<void> {
  const [one] = await provenPeople(db, id)
  if (one) vouch(deps, db, personContent(deps, one.person), actor)
}

/** An operator changes what signs them in, in the caller's block. CONFLICT where the row is not as the exchange wrote it. */
export async function changeOwn(deps: ApprovalDeps, db: Atomic, id: bigint, change: () => void): Promise<void> {
  await db.sql`select from operators where id = ${id} for update`
  if (!(await isAsWritten(deps, db, id))) throw changedBehind()
  change()
  await vouchFor(deps, db, id, `operator:${id}`)
}

export const changedBehind = (): Refusal =>
  new Refusal('CONFLICT', 'This operator was changed behind the exchange’s back, and can only be disabled.')
