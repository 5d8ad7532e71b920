import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { useDeposits } from './deposit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import type { Partner } from '../partners/partner.ts'
import { orderRefunds, type RefundOrder } from './refund.ts'
import { atSamePrice } from '../pricing/explain.ts'
import { eurCentsOf, type Quote } from '../pricing/quote.ts'
import type { Change, Step } from '../transactions/advance.ts'
import { exchangeEntry, payoutOrder, writeOffEntry } from './book.ts'
import { type Arrival, boundsOf, lockRoom } from './bounds.ts'
import { type Bounds, decide, type Decision, type Part, split, type Standing, type Wish } from './decide.ts'
import { ended, lifecycle } from '../transactions/lifecycle.ts'
import { arrivedOf, type MoneyOf, moneyOf, paidOf, refundViews, standingOf } from './money-of.ts'
import type { Outcome } from './outcome.ts'
import { askedChange, askedOf, isAskedAnew } from './question.ts'
import { refundCost } from './refund-cost.ts'
import { requote } from './requote.ts'
import type { Cause } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** Something that changed a transaction's money, which this block has written down and locked. */
export type Happened = {
  transaction: Transaction
  partner: Partner
  /** Why, for the status history. */
  cause: Cause
  reason?: string
  /** What else changes with it. */
  change?: Change
  /** Partners are notified in any case. */
  isReported?: boolean
  /** How the money came that came last; a person's asking has none. */
  arrival?: Arrival
  wish?: Wish
  /** Of what is free of the agreed asset, no more than this goes back. */
  refundAtMost?: bigint
  /** What an exchange must pay out at least, as its customer was shown: else nothing is done, and it is refused (CONFLICT). */
  atLeast?: bigint
}

/**
 * Lets a transaction go on after anything that changed its money: reads what stands, decides, and adds to the outcome what follows:
 * an exchange at a price, refunds, a hold, of which its customer is told where something is asked, or the end. All of it commits with what happened.
 */
export async function goOn(ctx: Ctx, db: Atomic, outcome: Outcome, happened: Happened): Promise<Decision> {
  const { transaction, cause, reason, change = {} } = happened
  const money = await moneyOf(db, transaction)
  const { decision, standing, bounds, orders, dust } = await decided(ctx, db, happened, money)
  const asked = await askedOf(db, transaction, { decision, standing, bounds, money })
  if (asked && isAskedAnew(transaction, decision, asked)) {
    outcome.questions.push({ transactionId: transaction.id, question: asked.question })
  }
  const changed: Change = {
    ...change,
    ...askedChange(transaction, asked),
    ...paidOf(money),
    fromAmount: arrivedOf(transaction, money),
  }
  const exchanged = decision.exchange && exchangeNow(ctx, happened, decision.exchange)
  refuseLess(happened, exchanged?.transaction.expectedTo)
  if (exchanged) Object.assign(changed, exchanged.change)

  const ordered = await orderRefunds(ctx, db, orders)
  await writeOff(ctx, outcome, transaction, dust)
  const uses = [
    ...(decision.exchange?.parts ?? []).map(({ depositId: id, amount }) => ({ id, exchanged: amount, refunded: 0n })),
    ...[...orders, ...dust].map(({ depositId: id, amount }) => ({ id, exchanged: 0n, refunded: amount })),
  ]
  if (uses.length > 0) useDeposits(db, uses)
  if (dust.length > 0) changed.errors = [...transaction.errors, belowCost].slice(-10)
  changed.refunds = refundViews(transaction.refunds, [...money.refunds, ...ordered], money.payouts)
  changed.statusDetails = decision.details
  const told = { cause, reason, change: changed, isReported: happened.isReported ?? false }
  outcome.steps.push(...stepsOf(transaction, decision, told))
  if (exchanged) bookExchange(ctx, outcome, exchanged.transaction, money, exchanged.isNew)
  return decision
}

function refuseLess({ atLeast }: Happened, toAmount = 0n): void {
  if (atLeast === undefined || toAmount >= atLeast) return
  throw new Refusal('CONFLICT', 'The price has changed. Please look at what comes out now.')
}

const belowCost = { code: 'refund_below_cost', reason: 'Less was left than sending it back costs.' }

/** What is to be done, with refunds priced: `dust` is what sending would eat up. */
type Priced = { decision: Decision; standing: Standing; bounds: Bounds; orders: RefundOrder[]; dust: Part[] }

async function decided(ctx: Ctx, db: Atomic, happened: Happened, money: MoneyOf): Promise<Priced> {
  const { transaction, partner, arrival, wish = 'none', refundAtMost } = happened
  const all = standingOf(transaction, money)
  const standing = refundAtMost === undefined ? all : { ...all, free: split(all.free, all.expected, refundAtMost)[0] }
  lockRoom(db, transaction, standing)
  const bounds = await boundsOf(ctx, db, { transaction, partner, standing, arrival })
  const asked = decide(standing, bounds, wish)
  const ruled = wish === 'none' && isMerelyDust(standing, asked) ? decide(standing, bounds, 'refund') : asked
  const isPart = sumOf(standing.free) < sumOf(all.free)
  const decision: Decision = isPart && all.details === 'review' ? { ...ruled, details: 'review' } : ruled
  const why = decision.exchange
    ? 'More money arrived than can be exchanged.'
    : (happened.reason ?? 'It is wanted back.')
  const priced = decision.refund.map((part) => ({ part, cost: refundCost(part.asset) }))
  const orders = priced
    .filter(({ part, cost }) => cost < part.amount)
    .map(({ part, cost }) => ({ ...part, cost, transactionId: transaction.id, reason: why }))
  const dust = priced.filter(({ part, cost }) => cost >= part.amount).map(({ part }) => part)
  if (decision.to !== 'on_hold' || dust.length === 0 || orders.length > 0)
    return { decision, standing, bounds, orders, dust }
  // All of it was too little to be sent: what is left to decide is where the transaction ends.
  const refused = new Set(dust.map(({ depositId }) => depositId))
  if (all.free.some(({ depositId, amount }) => !refused.has(depositId) || amount > amountIn(dust, depositId))) {
    throw new Refusal('CONFLICT', 'Sending that little back costs more than it is.')
  }
  const rest = { ...standing, free: [], refunds: { ...standing.refunds, paid: true } }
  return { decision: decide(rest, bounds, 'release'), standing: rest, bounds, orders, dust }
}

/**
 * More came to what was exchanged or over, and is less than can be exchanged or sent back: nobody is asked about it. Whoever knows an
 * address can send such money there.
 */
const isMerelyDust = ({ isExchanged, status, free }: Standing, { to, details }: Decision): boolean =>
  to === 'on_hold' &&
  details === 'underpaid' &&
  (isExchanged || ended.has(status)) &&
  free.every(({ asset, amount }) => refundCost(asset) >= amount)

const sumOf = (parts: readonly Part[]): bigint => parts.reduce((sum, { amount }) => sum + amount, 0n)

const amountIn = (parts: Part[], id: bigint): bigint =>
  parts.reduce((sum, { depositId, amount }) => sum + (depositId === id ? amount : 0n), 0n)

async function writeOff(ctx: Ctx, outcome: Outcome, transaction: Transaction, dust: Part[]): Promise<void> {
  const at = ctx.clock.now()
  for (const part of dust) {
    outcome.entries.push(writeOffEntry(transaction, { ...part, ref: await ctx.rowIds.next() }, at))
  }
}

type ExchangedNow = { transaction: Transaction; isNew: boolean; change: Change }

/** The transaction at the price that an exchange is made at: the agreed one as it stands, or worked out for another amount; or anew. */
export function exchangeNow(
  ctx: Ctx,
  { transaction, partner, arrival }: Pick<Happened, 'transaction' | 'partner' | 'arrival'>,
  { amount, isAgreed }: NonNullable<Decision['exchange']>,
): ExchangedNow {
  const priced = isAgreed ? agreedFor(transaction, amount) : requotedFor(ctx, partner, transaction, { arrival, amount })
  const isNew = priced !== transaction
  const { quote, quoteNumber, quoteExpiresAt, expectedFrom, expectedTo, depositMethod } = priced
  const isOther = expectedFrom !== transaction.expectedFrom
  return {
    transaction: priced,
    isNew,
    change: {
      quote,
      quoteNumber,
      quoteExpiresAt,
      expectedFrom,
      expectedTo,
      depositMethod,
      initialExpectedFrom: transaction.initialExpectedFrom ?? (isOther ? transaction.expectedFrom : null),
      fromAmountInEur: isOther ? eurCentsOf(quote, expectedFrom) : transaction.fromAmountInEur,
      errors: [],
    },
  }
}

function agreedFor(transaction: Transaction, amount: bigint): Transaction {
  const wasExchanged = transaction.history.some(({ status }) => status === 'exchanging')
  if (amount === transaction.expectedFrom && !wasExchanged) return transaction
  const quote = atSamePrice(transaction.quote, amount) as Quote | undefined
  if (!quote) throw new Refusal('CONFLICT', 'Costs would take all of it: there is nothing to exchange.')
  return {
    ...transaction,
    quote,
    quoteNumber: transaction.quoteNumber + 1,
    expectedFrom: amount,
    expectedTo: parseAmount(quote.toAmount, transaction.to.asset),
  }
}

function requotedFor(
  ctx: Ctx,
  partner: Partner,
  transaction: Transaction,
  { arrival, amount }: { arrival: Arrival | undefined; amount: bigint },
): Transaction {
  const again = requote(ctx, partner, transaction, { method: arrival?.cameBy ?? transaction.depositMethod, amount })
  if (!again) throw new Error('A price that has just been there is gone.')
  return again.transaction
}

function bookExchange(ctx: Ctx, outcome: Outcome, priced: Transaction, money: MoneyOf, isNew: boolean): void {
  if (isNew) outcome.quotes.push(priced)
  outcome.entries.push(exchangeEntry(priced, ctx.clock.now()))
  const number = money.payouts.filter(({ purpose }) => purpose === 'payout').length + 1
  outcome.payouts.push(payoutOrder(ctx, priced, { number, amount: priced.expectedTo }))
}

type Told = { cause: Cause; reason: string | undefined; change: Change; isReported: boolean }

/** The moves of a decision. What cannot go on in one step, from an end or from a payout that was made, is held in between. */
function stepsOf(transaction: Transaction, { to, exchange, reason: why }: Decision, happened: Told): Step[] {
  const { cause, reason, change, isReported } = happened
  const { status } = transaction
  const told = why ?? reason
  const step = { transaction, cause, to, ...(told === undefined ? {} : { reason: told }), change, isReported }
  if (exchange && to === status) {
    // What was exchanged was mirrored just now, and no status tells that something is exchanged again.
    const again: Cause = { kind: 'exchanged_again', id: BigInt(change.quoteNumber ?? transaction.quoteNumber) }
    return [step, { transaction, cause: again, to, reason: 'What is left is exchanged anew.' }]
  }
  if (to === status || lifecycle[status].includes(to)) return [step]
  const { fromAmount = transaction.fromAmount, toAmount = null, outputHash = null, refunds = [] } = change
  const between: Step = {
    transaction,
    cause,
    to: 'on_hold',
    reason: reason ?? 'There is more money in it.',
    change: { fromAmount, toAmount, outputHash, refunds },
  }
  return [between, { ...step, cause: { kind: 'settled' }, reason: why ?? 'It goes on.' }]
}
