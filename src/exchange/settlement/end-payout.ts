import { approvalsOfAll, approve, approversOf } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { type Operator, operatorSubject } from '../operators/operator.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import type { PayoutProgress } from '../../rails/chain/refusals.ts'
import { lockBank } from '../../rails/iso20022/lease.ts'
import type { PayoutHalf, PlanBody } from '../../rails/rail.ts'
import type { PaidDifference, SeenOfPayment } from '../../rails/statement.ts'
import * as queries from './end-payout.sql.ts'
import { comparePayee, type ComparedPayee } from './payee.ts'
import { preparedPlace } from './prepared-payment.ts'

/** How many different operators end a payment. */
export const needed = 2

export type PayoutRow = queries.PayoutRow

/** A payout as operators see it: how far it is, by its rail where that says so. */
export type ShownPayout = PayoutRow & { progress: PayoutProgress; payee: ComparedPayee | undefined }

/** Shows a payout or refund. NOT_FOUND for an unknown id. */
export async function showPayout(ctx: Ctx, id: bigint): Promise<ShownPayout> {
  const row = await readPayout(ctx, id)
  const prepared = preparedIn(ctx, row)
  const own = prepared && (await prepared.half.progress?.(prepared.plan))
  return {
    ...row,
    progress: own && row.state === 'planned' ? own : { state: progressOf(row) },
    payee: own?.payee && (await comparePayee(ctx, row.public_id, own.payee)),
  }
}

/** The prepared payouts and refunds of an order. */
export const shownPayoutsOf = async (ctx: Ctx, orderId: bigint): Promise<ShownPayout[]> =>
  Promise.all((await queries.preparedOf(ctx.db, orderId)).map(({ id }) => showPayout(ctx, id)))

export type EndOrder = { operator: Operator; reason: string; sign?: Sign | undefined; isLacking?: boolean }

/** A payment after an operator wanted to end it. */
export type EndedPayout = { payoutId: bigint; approvals: number; needed: number; isEnded: boolean }

/**
 * One operator's wish to end a prepared payment that its chain excludes by now, so that it can be ordered again. The second different
 * operator ends it. Audited. Refuses with NOT_EXCLUDED while it can still be carried out, and with CONFLICT what is not prepared.
 * `isLacking`: the operator has seen that the bank's own list of payments lacks it.
 */
export async function endPayout(
  ctx: Ctx,
  id: bigint,
  { operator, reason, sign, isLacking = false }: EndOrder,
): Promise<EndedPayout> {
  const row = await readPayout(ctx, id)
  const prepared = preparedIn(ctx, row)
  const why = whyNotEnded(ctx, row)
  if (why !== undefined || !prepared) throw new Refusal('CONFLICT', why ?? notPrepared)
  const { half, plan } = prepared
  await half.end?.(plan, 'check', isLacking)
  const actor = operatorSubject(operator)
  const approvers = await ctx.db.atomic(async (db) => {
    await lockBank(db, row.rail)
    db.send`select from plans where id = ${row.plan_id} for update`
    const payout = await payoutToEnd(ctx, id, db)
    refuseNow(whyNotEnded(ctx, payout))
    const content = endContent(payout)
    const { paid } = await approvalsOfBoth(ctx, db, payout)
    refuseNow(
      paid.some((other) => other !== actor)
        ? 'Another operator says that this payment is paid: they end it first, if it is not.'
        : undefined,
    )
    const before = await approversOf(ctx, db, content)
    // Whose wish was there when the chain did not exclude it yet may repeat it.
    const isRepeated = before.length >= needed && before.includes(actor)
    const given = isRepeated ? before : await approve(ctx, db, content, { actor, sign })
    auditEnd(ctx, db, { id, actor, reason, approvals: given.length, isLacking })
    if (given.length >= needed) await half.endIn?.(db, plan, isLacking)
    return given
  })
  const isEnded = approvers.length >= needed
  if (isEnded && !half.endIn) await half.end?.(plan, 'end', isLacking)
  return { payoutId: id, approvals: approvers.length, needed, isEnded }
}

const notPrepared = 'This payout is not a prepared payment.'

/** Why nobody can end a payout, whatever its chain says; undefined: two operators can, once its chain excludes it. */
export function whyNotEnded(
  { rails }: Pick<Ctx, 'rails'>,
  { rail, plan_id: plan, state }: PayoutRow,
): string | undefined {
  if (plan === null || state !== 'planned') return notPrepared
  return rails.payout(rail)?.payout?.end ? undefined : `The rail ${rail} ends payments by itself only.`
}

/**
 * A payout; what has come of it, where who ends it says by that that the bank's own list of payments lacks it; and the booked difference that may
 * have its debit.
 */
export type PayoutToEnd = PayoutRow & {
  needs_list: SeenOfPayment | undefined
  difference: PaidDifference | undefined
}

export const payoutToEnd = async (ctx: Ctx, id: bigint, db: Db = ctx.db): Promise<PayoutToEnd> =>
  withBank({ ...ctx, db }, await readPayout({ db }, id))

async function withBank({ rails, db }: Pick<Ctx, 'rails'> & { db: Db }, row: PayoutRow): Promise<PayoutToEnd> {
  const { rail, plan_key: key, asset, state } = row
  if (key === null || state !== 'planned') return { ...row, needs_list: undefined, difference: undefined }
  const half = rails.payout(rail)?.payout
  return {
    ...row,
    needs_list: await half?.needsList?.(db, { key, asset }),
    difference: await half?.differenceWith?.(db, key),
  }
}

/** What is approved: the end of exactly this prepared payment, and that the list of its bank lacks it, where that is needed, of what has come by now. */
export const endContent = ({ id, plan_id: plan, amount, needs_list: needsList }: PayoutToEnd): Content => ({
  kind: 'payout_end',
  id: String(id),
  plan: String(plan),
  amount: String(amount),
  ...(needsList ? { bank_lacks_it: needsList } : {}),
})

/** What is approved otherwise: that exactly this payment is in what was booked of a difference. */
export const confirmedContent = ({ id, plan_id: plan, amount, difference }: PayoutToEnd): Content => ({
  kind: 'payout_end',
  id: String(id),
  plan: String(plan),
  amount: String(amount),
  paid_in: difference?.payment,
  of: String(difference?.amount),
})

/** Who wants to end a payment, and who says that it is paid: of each operator the last approval counts. */
export async function approvalsOfBoth(
  ctx: Ctx,
  db: Db,
  payout: PayoutToEnd,
): Promise<{ end: string[]; paid: string[] }> {
  const given = async (content: Content) => (await approvalsOfAll(ctx, db, [content])).get(content.id) ?? []
  const ends = await given(endContent(payout))
  const paid = payout.difference ? await given(confirmedContent(payout)) : []
  const inOrder = [...ends, ...paid].toSorted((one, other) => (one.id < other.id ? -1 : 1))
  const last = new Map(inOrder.map((row) => [row.approver, row.id]))
  const counting = (rows: typeof ends) =>
    rows.filter(({ approver, id }) => last.get(approver) === id).map(({ approver }) => approver)
  return { end: counting(ends), paid: counting(paid) }
}

type AuditedEnd = { id: bigint; actor: string; reason: string; approvals: number; isLacking?: boolean; paidIn?: string }

/** Notes one operator's wish to end a prepared payment, or to say which debit has it. */
export function auditEnd(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  { id, actor, reason, approvals, isLacking = false, paidIn }: AuditedEnd,
): void {
  recordAudit(db, {
    at: clock.now(),
    actor,
    action: 'payout.ended',
    subject: `payout:${id}`,
    before: { approvals: approvals - 1 },
    after: {
      approvals,
      needed,
      reason,
      ...(isLacking ? { bank_lacks_it: true } : {}),
      ...(paidIn ? { paid_in: paidIn } : {}),
    },
  })
}

function preparedIn(
  { rails, keyring }: Ctx,
  { rail, plan_id: planId, plan_key: key, data_key_id: dataKeyId, wrapped_key: wrapped, body }: PayoutRow,
): { half: PayoutHalf; plan: { key: string; body: PlanBody } } | undefined {
  const half = rails.payout(rail)?.payout
  if (!half || planId === null || key === null || dataKeyId === null || body === null) return undefined
  const sealed = keyring.unwrap(dataKeyId, wrapped)
  return { half, plan: { key, body: sealed.open<PlanBody>(body, preparedPlace(planId)) } }
}

const progressOf = ({ state, plan_state: plan }: PayoutRow): PayoutProgress['state'] => {
  if (state === 'paid') return 'done'
  if (state === 'failed' || state === 'cancelled') return 'never'
  return plan === 'submitted' || plan === 'unknown' ? 'sent' : 'waiting'
}

/** One payout. NOT_FOUND for an unknown id. */
async function readPayout({ db }: { db: Db }, id: bigint): Promise<PayoutRow> {
  const [row] = await queries.payoutsById(db, [id])
  if (!row) throw new Refusal('NOT_FOUND', 'There is no such payout.')
  return row
}

/** A prepared payment, who wants to end it, and who says that it is paid. */
export type PaymentToEnd = PayoutToEnd & { approved: { end: string[]; paid: string[] } }

/** The prepared payments that one operator wants to end, or says are paid: another one must, too. Without an order, those of `order`, wanted or not. */
export async function paymentsToEnd(ctx: Ctx, order?: bigint): Promise<PaymentToEnd[]> {
  const { db } = ctx
  const found = order === undefined ? await queries.wantedToEnd(db) : await queries.plannedOf(db, order)
  const ids = found.map(({ id }) => id)
  const rows = await Promise.all((await queries.payoutsById(db, ids)).map((row) => withBank(ctx, row)))
  return Promise.all(rows.map(async (row) => ({ ...row, approved: await approvalsOfBoth(ctx, db, row) })))
}
