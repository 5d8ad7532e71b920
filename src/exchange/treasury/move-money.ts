import type { Atomic, Db } from '../../platform/db/sql.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { badField, fieldRefusal, Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount, parseAmount } from '../../platform/money/amount.ts'
import { unitsAt } from '../../platform/money/amount-in.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { approve, approversOf, approversOfAll } from '../approvals/approve.ts'
import type { Sign } from '../approvals/signature.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import { held, networkFees, transit } from '../ledger/account.ts'
import { lowerAvailable } from '../ledger/balance.ts'
import { entry, type Posting } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { listOperators, type Operator, operatorSubject } from '../operators/operator.ts'
import { transition } from '../settlement/transition.ts'
import { listBalances } from './balances.ts'
import {
  lockRebalance,
  lockRoute,
  type NewRebalance,
  readRebalances,
  type Rebalance,
  type RebalanceState,
  rebalanceContent,
  rebalanceRows,
  rebalances,
} from './rebalance.ts'

/** How many different operators approve a rebalance, in every mode. */
export const rebalanceApprovals = 2

/** A transfer that somebody wants, as it was typed. */
export type RebalanceWish = { source: string; destination: string; asset: string; amount: string; reason: string }

/**
 * Proposes a transfer from a custody account to a listed destination. Audited. Refuses a destination that is not on the list of
 * CONFIG_FILE, more than is available, and (CONFLICT) a second transfer of an asset between the same accounts.
 */
export async function proposeRebalance(ctx: Ctx, wish: RebalanceWish, actor: string): Promise<bigint> {
  const asset = bookedAsset(wish.asset)
  const destination = ctx.config.rebalancing?.destinations.find(
    ({ name, asset: its }) => name === wish.destination && its === wish.asset,
  )
  if (!asset || !destination) {
    throw badField(
      asset ? 'to' : 'asset',
      `${wish.destination} is not listed as a destination of ${wish.asset} in CONFIG_FILE.`,
    )
  }
  if (wish.reason.trim() === '') throw badField('reason', 'A reason is required.')
  if (destination.account === wish.source) throw badField('to', 'Source and destination are the same account.')
  const amount = unitsAt(wish.amount, asset, 'amount')
  if (amount === 0n) throw badField('amount', 'The amount must be greater than 0.')
  await refuseUnavailable(ctx, { source: wish.source, asset: wish.asset, amount })
  const rebalance: NewRebalance = {
    id: await ctx.rowIds.next(),
    source: wish.source,
    destination: destination.name,
    account: destination.account,
    asset: wish.asset,
    amount,
    reference: `RB-${randomToken(9)}`,
    state: 'proposed',
    reason: wish.reason,
    proposedBy: actor,
    proposedAt: ctx.clock.now(),
  }
  await ctx.db.atomic(async (db) => {
    if (await lockRoute(db, rebalance)) throw new Refusal('CONFLICT', 'Such a transfer is open already.')
    rebalanceRows.insert(db, [rebalance])
    const after = {
      from: wish.source,
      to: destination.name,
      asset: wish.asset,
      amount: wish.amount,
      reason: wish.reason,
    }
    audit(ctx, db, rebalance.id, { actor, action: 'rebalance.proposed', after })
  })
  return rebalance.id
}

async function refuseUnavailable(
  ctx: Ctx,
  { source, asset, amount }: { source: string; asset: string; amount: bigint },
): Promise<void> {
  const balance = (await listBalances(ctx)).find((one) => one.account === source && one.asset === asset)
  if (!balance || balance.available < amount) {
    throw fieldRefusal('CONFLICT', balance ? 'amount' : 'from', `${source} does not have that much ${asset} available.`)
  }
}

/** Proposes what the levels of CONFIG_FILE call for: surplus leaves, and what runs short is refilled. Gives the ids of new proposals. */
export async function proposeRebalances(ctx: Ctx): Promise<bigint[]> {
  const { levels = [], destinations = [] } = ctx.config.rebalancing ?? {}
  if (levels.length === 0) return []
  const balances = await listBalances(ctx)
  const ids: bigint[] = []
  for (const { account, asset: id, minimum, target, maximum, surplusTo, refillFrom } of levels) {
    const asset = bookedAsset(id)
    if (!asset) continue
    const row = balances.find((one) => one.account === account && one.asset === id)
    const now = (row?.available ?? 0n) + (row?.incoming ?? 0n)
    const goal = parseAmount(target, asset)
    const isAbove = maximum !== undefined && surplusTo !== undefined && now > parseAmount(maximum, asset)
    const isBelow = minimum !== undefined && refillFrom !== undefined && now < parseAmount(minimum, asset)
    if (!isAbove && !isBelow) continue
    const home = destinations.find((one) => one.account === account && one.asset === id)
    const wish: RebalanceWish = {
      source: isAbove ? account : (refillFrom ?? ''),
      destination: isAbove ? (surplusTo ?? '') : (home?.name ?? account),
      asset: id,
      amount: formatAmount(isAbove ? now - goal : goal - now, asset),
      reason: `${account} has ${formatAmount(now, asset)} ${id}, ${isAbove ? 'above' : 'below'} its level`,
    }
    try {
      ids.push(await proposeRebalance(ctx, wish, 'system'))
    } catch (error) {
      // One that is open already, or that the source cannot pay, is proposed again when that has changed.
      if (!(error instanceof Refusal) || error.code !== 'CONFLICT') throw error
    }
  }
  return ids
}

/** One operator's approval. Audited. Refuses an operator's second one, and what waits for no approval. */
export function approveRebalance(ctx: Ctx, id: bigint, operator: Operator, sign?: Sign): Promise<ListedRebalance> {
  return ctx.db.atomic(async (db) => {
    const rebalance = await lockIn(db, id, ['proposed'])
    const approver = { actor: operatorSubject(operator), sign }
    const count = (await approve(ctx, db, rebalanceContent(rebalance), approver)).length
    if (count >= rebalanceApprovals) transition(db, rebalances, [{ id }], 'proposed', 'approved')
    const after = { approvals: count, needed: rebalanceApprovals }
    audit(ctx, db, id, { actor: approver.actor, action: 'rebalance.approved', after })
    return shown(ctx, db, id)
  })
}

/** What an operator saw of a transfer: a hash, a line of a statement; and what sending took in addition. */
export type TransferProof = { proof: string; fee?: { asset: string; amount: string } | undefined; actor: string }

/** Books that an approved transfer has left its source. Audited. */
export function confirmSent(ctx: Ctx, id: bigint, { proof, fee, actor }: TransferProof): Promise<ListedRebalance> {
  const feeAsset = fee && bookedAsset(fee.asset)
  if (fee && !feeAsset) throw badField('fee_asset', `Unknown asset: ${fee.asset}.`)
  const cost = fee && feeAsset ? unitsAt(fee.amount, feeAsset, 'fee') : 0n
  return ctx.db.atomic(async (db) => {
    const rebalance = await lockIn(db, id, ['approved'])
    await refuseUnapproved(ctx, db, rebalance)
    const { source, asset, amount } = rebalance
    const what = { transactionId: null, kind: 'transfer_sent', ref: id, at: ctx.clock.now() } as const
    const postings: Posting[] = [{ debit: transit, credit: held(source), asset, amount }]
    if (feeAsset) postings.push({ debit: networkFees, credit: held(source), asset: feeAsset.id, amount: cost })
    const booked = entry(what, postings)
    await post(db, ctx, [booked])
    lowerAvailable(db, [booked])
    const costs = cost > 0n && feeAsset ? { feeAsset: feeAsset.id, fee: cost } : { feeAsset: null, fee: null }
    transition(db, rebalances, [{ id, sentProof: proof, ...costs }], 'approved', 'sent')
    audit(ctx, db, id, { actor, action: 'rebalance.sent', after: { proof, fee: fee ?? null } })
    return shown(ctx, db, id)
  })
}

/** Books that a transfer has arrived. Audited. */
export function confirmArrived(
  ctx: Ctx,
  id: bigint,
  { proof, actor }: Omit<TransferProof, 'fee'>,
): Promise<ListedRebalance> {
  return ctx.db.atomic(async (db) => {
    const { account, asset, amount } = await lockIn(db, id, ['sent'])
    const at = ctx.clock.now()
    const what = { transactionId: null, kind: 'transfer_received', ref: id, at } as const
    await post(db, ctx, [entry(what, [{ debit: held(account), credit: transit, asset, amount }])])
    transition(db, rebalances, [{ id, arrivedProof: proof, endedAt: at }], 'sent', 'settled')
    audit(ctx, db, id, { actor, action: 'rebalance.arrived', after: { proof } })
    return shown(ctx, db, id)
  })
}

/** Cancels a transfer that was not sent. Audited. */
export function cancelRebalance(
  ctx: Ctx,
  id: bigint,
  { reason, actor }: { reason: string; actor: string },
): Promise<ListedRebalance> {
  return ctx.db.atomic(async (db) => {
    const { state } = await lockIn(db, id, ['proposed', 'approved'])
    transition(db, rebalances, [{ id, outcome: reason, endedAt: ctx.clock.now() }], state, 'canceled')
    audit(ctx, db, id, { actor, action: 'rebalance.canceled', after: { reason } })
    return shown(ctx, db, id)
  })
}

/** A transfer, and the addresses of the operators whose approvals count. */
export type ListedRebalance = Rebalance & { approved_by: string[] }

/** The newest transfers. */
export const listRebalances = async (ctx: Approving): Promise<ListedRebalance[]> =>
  listed(ctx, ctx.db, await readRebalances(ctx.db, { limit: 200 }))

/** The transfer with an id; undefined for an unknown one. */
export const findRebalance = async (ctx: Approving, id: bigint): Promise<ListedRebalance | undefined> =>
  (await listed(ctx, ctx.db, await readRebalances(ctx.db, { id, limit: 1 })))[0]

type Approving = Pick<Ctx, 'db' | 'secrets' | 'config' | 'clock'>

async function listed(ctx: Approving, db: Db, rows: readonly Rebalance[]): Promise<ListedRebalance[]> {
  const approved = await approversOfAll(ctx, db, rows.map(rebalanceContent))
  const names = new Map<string, string>((await listOperators(ctx)).map((one) => [operatorSubject(one), one.email]))
  return rows.map((row) => {
    const by = approved.get(String(row.id)) ?? []
    return { ...row, approved_by: by.map((approver) => names.get(approver) ?? approver) }
  })
}

/** A row that says so is no approval. */
async function refuseUnapproved(ctx: Ctx, db: Db, rebalance: Rebalance): Promise<void> {
  if ((await approversOf(ctx, db, rebalanceContent(rebalance))).length >= rebalanceApprovals) return
  throw new Refusal(
    'FORBIDDEN',
    'Two operators have not approved this transfer, though its row says so. Tell the people who run the servers.',
  )
}

async function lock(db: Atomic, id: bigint): Promise<Rebalance> {
  const rebalance = await lockRebalance(db, id)
  if (!rebalance) throw new Refusal('NOT_FOUND', 'There is no such transfer.')
  return rebalance
}

/** Why a transfer is not in one of these states; undefined: it is. */
export const whyNotIn = ({ state }: Pick<Rebalance, 'state'>, states: readonly RebalanceState[]): string | undefined =>
  states.includes(state) ? undefined : `This transfer is ${state}, not ${states.join(' or ')}.`

async function lockIn(db: Atomic, id: bigint, states: readonly RebalanceState[]): Promise<Rebalance> {
  const rebalance = await lock(db, id)
  const why = whyNotIn(rebalance, states)
  if (why !== undefined) throw new Refusal('CONFLICT', why)
  return rebalance
}

async function shown(ctx: Ctx, db: Atomic, id: bigint): Promise<ListedRebalance> {
  const [rebalance] = await listed(ctx, db, await readRebalances(db, { id, limit: 1 }))
  if (!rebalance) throw new Error('A transfer that was changed is missing.')
  return rebalance
}

const audit = (
  { clock }: Ctx,
  db: Atomic,
  id: bigint,
  { actor, action, after }: { actor: string; action: AuditAction; after: Record<string, unknown> },
): void => recordAudit(db, { at: clock.now(), actor, action, subject: `rebalance:${id}`, before: null, after })
