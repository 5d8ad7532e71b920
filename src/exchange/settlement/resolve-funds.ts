import type { Ctx } from '../context.ts'
import type { Partner } from '../partners/partner.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ended } from '../transactions/lifecycle.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { decide, type Decision, type FundsPosition, type Part, split } from './decide.ts'
import { exchangeAt } from './exchange.ts'
import { type FundsChange, reasonOf, requestOf } from './funds-change.ts'
import { lockLimits, type PricedLimits, readLimits } from './limits.ts'
import { type Funds, positionOf, readFunds } from './position.ts'
import { refundCost, type RefundOrder } from './refund.ts'
import type { KnownFunds } from './straight-through.ts'

/** A decision with what it was made of, and its refunds with their costs. `dust` is what sending would eat up. */
export type Resolved = {
  decision: Decision
  funds: Funds
  position: FundsPosition
  limits: PricedLimits
  orders: RefundOrder[]
  dust: Part[]
}

type Subject = { transaction: Transaction; partner: Partner }

/** Decides about a transaction's money as it is now, or as it is `known` to be: reads where it is, and within which limits. */
export async function resolveFunds(
  ctx: Ctx,
  db: Atomic,
  { transaction, partner }: Subject,
  { change, known }: { change: FundsChange; known: KnownFunds | undefined },
): Promise<Resolved> {
  const funds = known?.funds ?? (await readFunds(db, transaction))
  const all = positionOf(transaction, funds)
  const atMost = change.kind === 'refund_ordered' ? change.atMost : undefined
  const position = atMost === undefined ? all : { ...all, free: split(all.free, all.expected, atMost)[0] }
  const arrival = 'arrival' in change ? change.arrival : undefined
  if (!known?.limits) lockLimits(db, transaction, position)
  const limits = known?.limits ?? (await readLimits(ctx, db, { transaction, partner, position, arrival }))
  const decision = decideWithoutDust(position, limits, change)
  const isPart = sumOf(position.free) < sumOf(all.free)
  const kept = isPart && all.details === 'review' ? { ...decision, details: 'review' as const } : decision
  return withRefunds({ decision: kept, funds, position, limits }, { change, transaction, all })
}

/**
 * Decides what to do. If a late amount is too small to exchange or send back, and the order was already exchanged or has ended,
 * the customer is not asked.
 */
function decideWithoutDust(position: FundsPosition, limits: PricedLimits, change: FundsChange): Decision {
  const request = requestOf(change)
  const decision = decide(position, limits, request)
  const isMerelyDust =
    decision.to === 'on_hold' &&
    decision.details === 'underpaid' &&
    (position.exchanged > 0n || ended.has(position.status)) &&
    position.free.every(({ asset, amount }) => refundCost(asset) >= amount)
  return request === 'none' && isMerelyDust ? decide(position, limits, 'refund') : decision
}

/** The refunds of a decision with what sending them costs. What is less than that is written off. */
function withRefunds(
  resolved: Omit<Resolved, 'orders' | 'dust'>,
  { change, transaction, all }: { change: FundsChange; transaction: Transaction; all: FundsPosition },
): Resolved {
  const { decision, position, limits } = resolved
  const reason = decision.exchange
    ? 'More money arrived than can be exchanged.'
    : (reasonOf(change) ?? 'It is wanted back.')
  const isWorthIt = ({ asset, amount }: Part): boolean => refundCost(asset) < amount
  const orders = decision.refund
    .filter(isWorthIt)
    .map((part) => ({ ...part, cost: refundCost(part.asset), transactionId: transaction.id, reason }))
  const dust = decision.refund.filter((part) => !isWorthIt(part))
  if (decision.to !== 'on_hold' || dust.length === 0 || orders.length > 0) return { ...resolved, orders, dust }

  // All of it was too little to be sent: what is left to decide is where the transaction ends.
  const refused = new Set(dust.map(({ depositId }) => depositId))
  if (all.free.some(({ depositId, amount }) => !refused.has(depositId) || amount > amountIn(dust, depositId))) {
    throw new Refusal('CONFLICT', 'Sending such a small amount back would cost more than it is worth.')
  }
  const rest = { ...position, free: [], refunds: { ...position.refunds, paid: true } }
  return { ...resolved, decision: decide(rest, limits, 'release'), position: rest, orders, dust }
}

const sumOf = (parts: readonly Part[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)

const amountIn = (parts: Part[], id: bigint): bigint => sumOf(parts.filter(({ depositId }) => depositId === id))

/** What would be exchanged, and for how much, if the customer accepted the price of this moment; undefined where nothing is. */
export async function previewExchange(
  ctx: Ctx,
  db: Db,
  { transaction, partner }: Subject,
  position: FundsPosition,
): Promise<{ fromAmount: bigint; toAmount: bigint } | undefined> {
  const limits = await readLimits(ctx, db, { transaction, partner, position })
  const { exchange } = decide(position, limits, 'accept')
  if (!exchange) return undefined
  return { fromAmount: exchange.amount, toAmount: exchangeAt(transaction, exchange, limits).transaction.expectedTo }
}
