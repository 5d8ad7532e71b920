import { approve, approversOf, approversOfAll } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Policy } from '../policies/policies.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { listOperators, type Operator, operatorSubject } from '../operators/operator.ts'
import { permissionsOf } from '../operators/roles.ts'
import { type LockedPayout, type PayablePayout, payoutDue } from './payout.ts'
import { payoutContent } from './payout-content.ts'
import { enqueueRefunds, lockRefunds, type Refund } from './refund.ts'
import { advance, type Step } from '../transactions/advance.ts'
import * as queries from './approval.sql.ts'
import { lockTransactions } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { isPayoutAbove, isRefundAbove, readWorthFacts } from './approval-limit.ts'

/** How many different operators a payout above the limit waits for; a refund above it, too. */
const needed = 2

const reasonOf = (what: 'payout' | 'refund'): string =>
  `This ${what} needs the approval of ${needed} different operators.`

/**
 * Keeps payouts above the limit from being sent until enough different operators have approved them: their transactions are put on hold.
 * One that has waited once waits on, whatever it is worth since. Gives the others.
 */
export async function withoutUnapproved(
  ctx: Ctx,
  db: Atomic,
  payouts: LockedPayout[],
  transactions: Map<bigint, Transaction>,
): Promise<LockedPayout[]> {
  const facts = await readWorthFacts(ctx, db, [...transactions.values()])
  const above = payouts.filter((payout) => {
    const transaction = transactions.get(payout.transaction_id)
    const limit = approvalPolicy(ctx, transaction).rules.payoutsAboveEurCents
    return payout.was_asked || (limit !== undefined && isPayoutAbove(ctx, payout, { facts, transaction }, limit))
  })
  if (above.length === 0) return payouts

  const approved = await approversOfAll(ctx, db, above.map(payoutContent))
  const held = above.filter(({ id }) => (approved.get(String(id))?.length ?? 0) < needed)
  const steps = held.flatMap(({ id, transaction_id }): Step[] => {
    const transaction = transactions.get(transaction_id)
    if (!transaction) return []
    const cause = { kind: 'payout_needs_approval', id } as const
    const policies = { approvals: approvalPolicy(ctx, transaction).version }
    const change = { statusDetails: 'review' } as const
    return [{ transaction, cause, to: 'on_hold', reason: reasonOf('payout'), change, policies }]
  })
  await advance(ctx, db, steps)
  return payouts.filter((payout) => !held.includes(payout))
}

/**
 * Whether a refund's payout, which this block has locked, has to wait until enough different operators have approved it: whatever
 * ordered it, and where it has no transaction, too. The status of its transaction stays; the history says so.
 */
export async function needsApproval(
  ctx: Ctx,
  db: Atomic,
  { refund, transaction }: { refund: Refund; transaction: Transaction | undefined },
  payout: PayablePayout,
): Promise<boolean> {
  const { version, rules } = approvalPolicy(ctx, transaction)
  const limit = rules.payoutsAboveEurCents
  const isAbove = limit !== undefined && (await isRefundAbove(ctx, db, { refund, payout, transaction }, limit))
  if (!isAbove && !(await queries.wasAsked(db, payout.id))) return false
  if ((await approversOf(ctx, db, payoutContent(payout))).length >= needed) return false
  queries.askApproval(db, payout.id, ctx.clock.now())
  if (transaction) {
    const { status: to, statusDetails } = transaction
    const cause = { kind: 'refund_needs_approval', id: payout.id } as const
    const policies = { approvals: version }
    await advance(ctx, db, [
      { transaction, cause, to, reason: reasonOf('refund'), change: { statusDetails }, policies },
    ])
  } else if (!(await queries.isAskNoted(db, payout.id))) {
    const [subject, after] = [`payout:${payout.id}` as const, { approvals: needed }]
    const action = queries.askedInAudit
    recordAudit(db, { at: ctx.clock.now(), actor: 'system', action, subject, before: null, after })
  }
  return true
}

/** Says above which amount in euro cents a payout of this partner's needs approval; undefined where none does. */
const approvalPolicy = ({ policies, clock }: Ctx, transaction: Transaction | undefined): Policy<'approvals'> =>
  policies.at(clock.now(), 'approvals', transaction?.partnerId)

/** A payout after an approval. `transactionId` is null where it gives money back from suspense. */
export type Approved = {
  payoutId: bigint
  transactionId: bigint | null
  approvals: number
  needed: number
  isApproved: boolean
}

/**
 * One operator's approval of a payout or refund that waits for it; `id` is the payout's, or the public one of its transaction, in
 * which then no other waits. The second different operator's sends it. `sign`: by the operator's key. Audited. Refuses what waits for
 * no approval, or was held for another reason since, and an operator's second approval.
 */
export function approvePayout(ctx: Ctx, id: bigint, operator: Operator, sign?: Sign): Promise<Approved> {
  if (!permissionsOf[operator.role].has('payouts.approve'))
    throw new Refusal('FORBIDDEN', 'Your role does not include the approval of payouts.')
  return ctx.db.atomic(async (db) => {
    const waiting = await lockWaiting(ctx, db, id)
    const { payoutId } = waiting
    const now = ctx.clock.now()
    const approver = { actor: operatorSubject(operator), sign }
    const approvals = (await approve(ctx, db, await contentOf(ctx, db, waiting.payout), approver)).length
    const isApproved = approvals >= needed
    if (isApproved) await release(ctx, db, waiting)
    const transactionId = waiting.transaction?.publicId ?? null
    recordAudit(db, {
      at: now,
      actor: approver.actor,
      action: 'payout.approved',
      subject: `payout:${payoutId}`,
      before: { approvals: approvals - 1 },
      after: { approvals, needed, transaction_id: transactionId === null ? null : String(transactionId) },
    })
    return { payoutId, transactionId, approvals, needed, isApproved }
  })
}

async function release(ctx: Ctx, db: Atomic, { payoutId, refundId, transaction }: Waiting): Promise<void> {
  if (refundId !== null) {
    queries.endAsking(db, payoutId)
    enqueueRefunds(ctx, db, [{ id: refundId }])
    return
  }
  if (!transaction) throw new Error(`Payout ${payoutId} belongs to no transaction.`)
  await advance(ctx, db, [{ transaction, cause: { kind: 'payout_approved', id: payoutId }, to: 'exchanging' }])
  ctx.queue.enqueue(db, [{ kind: payoutDue, key: String(payoutId), runAt: ctx.clock.now() }])
}

const contentOf = async ({ keyring }: Ctx, db: Db, payout: queries.SealedPayout): Promise<Content> =>
  payoutContent({ ...payout, dataKey: await keyring.get(db, payout.data_key_id) })

type Waiting = {
  payoutId: bigint
  payout: queries.SealedPayout
  refundId: bigint | null
  transaction: Transaction | undefined
}

/** Why a payout cannot be approved; undefined: it can. */
export const whyNotApproved = ({ waits }: { waits: boolean }): string | undefined =>
  waits ? undefined : 'This payout is not waiting for approval.'

/** The payout that an id names, its own or its transaction's, as far as its approval goes. Refuses as `approvePayout` does. */
export const payoutToApprove = ({ db }: { db: Db }, id: bigint): Promise<{ id: bigint; waits: boolean }> =>
  foundBy(db, id)

/** What waits, its refund and its transaction, locked in the order that holds everywhere. */
async function lockWaiting(ctx: Ctx, db: Atomic, id: bigint): Promise<Waiting> {
  const found = await foundBy(db, id)
  const { transaction_id: owner, refund_id: refundId } = found
  const transaction = owner === null ? undefined : (await lockTransactions(ctx, db, [owner])).get(owner)
  if (refundId !== null) lockRefunds(db, [refundId])
  const [payout] = await queries.lockPayout(db, found.id)
  if (!payout || (owner !== null && !transaction)) throw new Refusal('NOT_FOUND', 'There is no such payout.')
  refuseNow(whyNotApproved(payout))
  return { payoutId: payout.id, payout, refundId, transaction }
}

async function foundBy(db: Db, id: bigint): Promise<queries.FoundRow> {
  const rows = await queries.payoutsFor(db, id)
  const waiting = rows.filter(({ waits }) => waits)
  if (waiting.length > 1) {
    const ids = waiting.map((row) => String(row.id)).join(' and ')
    throw new Refusal('CONFLICT', `The payouts ${ids} of this transaction wait for approvals: name one.`)
  }
  const found = waiting[0] ?? rows[0]
  if (!found) throw new Refusal('NOT_FOUND', 'There is no such payout.')
  return found
}

/** A payout or refund that has not ended. `needs`: how many more operators must approve it before it is sent. */
export type OpenPayout = queries.OpenPayoutRow & {
  needs: number
  approved_by: string[]
  /** What is approved; undefined where the customer was erased. */
  content: Content | undefined
}

/** The oldest payouts and refunds that are ordered and not ended, or only those of them that wait for approval. */
export async function listOpenPayouts(
  ctx: Pick<Ctx, 'db' | 'keyring' | 'secrets' | 'config' | 'clock'>,
  { waiting, most = 1_000 }: { waiting: boolean; most?: number },
): Promise<OpenPayout[]> {
  const { db, keyring } = ctx
  const rows = await queries.openPayouts(db, { waiting, limit: most })
  const keys = await keyring.getMany(
    db,
    rows.filter(({ is_readable: isReadable }) => isReadable).map(({ data_key_id: id }) => id),
  )
  const contents = rows.flatMap((row) => {
    const dataKey = keys.get(row.data_key_id)
    return dataKey ? [payoutContent({ ...row, dataKey })] : []
  })
  const approved = await approversOfAll(ctx, db, contents)
  const names = new Map<string, string>((await listOperators(ctx)).map((one) => [operatorSubject(one), one.email]))
  return rows.map((row) => {
    const by = (approved.get(String(row.id)) ?? []).map((actor) => names.get(actor) ?? actor)
    const content = contents.find(({ id }) => id === String(row.id))
    const orderedBy = row.ordered_by === null ? null : (names.get(row.ordered_by) ?? row.ordered_by)
    return {
      ...row,
      ordered_by: orderedBy,
      content,
      approved_by: by,
      needs: row.waits ? Math.max(0, needed - by.length) : 0,
    }
  })
}
