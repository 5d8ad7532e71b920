import type { Db } from '../../platform/db/sql.ts'
import { approversOfAll, counts } from '../approvals/approve.ts'
import * as queries from '../approvals/approvals.sql.ts'
import { type OperatorKey, readKeys } from '../approvals/operator-keys.ts'
import { strangers } from '../approvals/people.ts'
import { isGenuine } from '../approvals/stamp.ts'
import type { Ctx } from '../context.ts'
import { beforeAll, problemsIn } from '../ledger/verify.ts'
import { forgedAccess } from '../operators/access-stamp.ts'
import { decidedPolicies } from '../policies/in-force.ts'
import { askedInAudit } from '../settlement/approval.sql.ts'
import { foreignSeals } from '../settlement/halt-seals.ts'
import { approvedHedges } from '../treasury/hedge-content.ts'
import type { Hedge } from '../treasury/hedge.ts'
import { decidedHedges } from '../treasury/hedges.sql.ts'
import { approvedRebalances, type Rebalance, rebalanceContent } from '../treasury/rebalance.ts'

const batch = 1_000

/**
 * Every approval is one that the service wrote and, where it names a key, that the key signed; every operator, key and sign-in came through a
 * door; and what was asked approvals for and left has them.
 */
export async function verifyApprovals(ctx: Ctx): Promise<string[]> {
  const { db } = ctx
  const keys = await readKeys(ctx, db)
  const rows = await problemsIn<queries.ApprovalRow>(
    (last) => queries.approvalsAfter(db, last?.id ?? beforeAll, batch),
    async (some) => (await Promise.all(some.map((row) => faultOf(ctx, row, keys)))).flat(),
  )
  const people = (await strangers(ctx, db)).map(
    ({ id, email }) => `Operator ${id} (${email}) was not made by the exchange, or was changed behind its back.`,
  )
  const added = new Set(
    (await queries.approvalsOfKinds(db, ['operator_key']))
      .filter((row) => isGenuine(ctx.secrets, row))
      .map(({ subject }) => subject),
  )
  const forgedKeys = keys
    .filter(({ id }) => !added.has(String(id)))
    .map(({ id, email }) => `Key ${id} of ${email} was not added through the exchange.`)
  const access = await forgedAccess(ctx, db)
  return [...rows, ...people, ...access, ...forgedKeys, ...(await unapproved(ctx, keys)), ...(await undecided(ctx))]
}

async function faultOf(ctx: Ctx, row: queries.ApprovalRow, keys: readonly OperatorKey[]): Promise<string[]> {
  const name = `Approval ${row.id} (${row.kind} ${row.subject}, by ${row.approver})`
  if (!isGenuine(ctx.secrets, row)) return [`${name} was not written by the exchange, and counts for nothing.`]
  if (row.keyId === null || row.carriedOver || (await counts(ctx, row, { keys }))) return []
  return [`${name} is not signed by a key of its operator that counts.`]
}

/** What its row says was approved or rejected, and its approvals do not. */
async function undecided(ctx: Ctx): Promise<string[]> {
  const { db } = ctx
  const { disputed } = await decidedPolicies(ctx, db)
  const hedges = await problemsIn<Hedge>(
    (last) => decidedHedges(db, last?.id ?? beforeAll, batch),
    async (some) => {
      const approved = await approvedHedges(ctx, db, some)
      return some
        .filter((one) => !approved.includes(one))
        .map(({ id, state }) => `Hedge ${id} is ${state}, and nobody approved it.`)
    },
  )
  const rebalances = await problemsIn<Rebalance>(
    (last) => approvedRebalances(db, last?.id ?? beforeAll, batch),
    async (some) => {
      const approved = await approversOfAll(ctx, db, some.map(rebalanceContent))
      return some
        .filter(({ id }) => (approved.get(String(id))?.length ?? 0) < 2)
        .map(({ id, state }) => `Rebalance ${id} is ${state}, and two operators did not approve it.`)
    },
  )
  const gone = await haltsGone(db)
  const seals = await foreignSeals(ctx, db)
  return [
    ...seals.map(
      ({ scope, name, nonce }) => `The seal ${nonce} of the halt ${scope}:${name} was not made by the exchange.`,
    ),
    ...gone.map(({ subject }) => `The halt ${subject} is gone, and nobody has resumed it.`),
    ...disputed.map(({ kind, version }) => `Version ${version} of the policy ${kind} is not what its approvals say.`),
    ...hedges,
    ...rebalances,
  ]
}

/** Payouts and refunds that waited for approvals, have left, and lack some. */
async function unapproved(ctx: Ctx, keys: readonly OperatorKey[]): Promise<string[]> {
  const asked = await askedAndLeft(ctx.db)
  const given = await queries.approvalsOf(
    ctx.db,
    'payout',
    asked.map(({ id }) => String(id)),
  )
  const approved = new Map<string, Set<string>>()
  for (const row of given) {
    if (!(await counts(ctx, row, { keys }))) continue
    approved.set(row.subject, (approved.get(row.subject) ?? new Set()).add(row.approver))
  }
  return asked
    .filter(({ id }) => (approved.get(String(id))?.size ?? 0) < 2)
    .map(({ id }) => `Payout ${id} waited for the approval of two operators, and left without.`)
}

const askedAndLeft = (db: Db): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from payouts
    where plan_id is not null and (exists (
      select from status_history
      where status_history.transaction_id = payouts.transaction_id and subject_id = payouts.id
        and kind in ('payout_needs_approval', 'refund_needs_approval'))
      or transaction_id is null and exists (
        select from audit where subject = 'payout:' || payouts.id and action = ${askedInAudit}))
    order by id`

/** What an operator or a restore has halted and nobody has resumed since, by the audit, and is not halted any more. */
const haltsGone = (db: Db): Promise<{ subject: string }[]> =>
  db.sql`
    select subject from (
      select distinct on (subject) subject, action from audit
      where action in ('halt.set', 'restore.found', 'halt.resumed', 'halt.resume_requested') order by subject, id desc) as last
    where action <> 'halt.resumed' and not exists (
      select from halts where subject = case when name = '' then 'halt:' || scope else scope || ':' || name end)
    order by subject`
