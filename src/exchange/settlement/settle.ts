import type { Ctx } from '../context.ts'
import { lowerAvailable } from '../ledger/balance.ts'
import type { Entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import type { Partner } from '../partners/partner.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { advance, type Change, type Step } from '../transactions/advance.ts'
import { lifecycle } from '../transactions/lifecycle.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { keepQuotes } from '../transactions/quote-stamp.ts'
import type { Decision, Part } from './decide.ts'
import { type DepositUse, insertDeposits, type NewDeposit, useDeposits } from './deposit.ts'
import { exchangeEntry, writeOffEntry } from './entries.ts'
import { type Exchange, exchangeAt } from './exchange.ts'
import { causeOf, type FundsChange, lossReasonOf, reasonOf } from './funds-change.ts'
import { acceptPayers } from './payer.ts'
import { orderPayouts, payoutOrder, type PayoutOrder } from './payout.ts'
import { arrivedOf, type Funds, nextPayoutNumber, paidOf, refundViews } from './position.ts'
import { emailQuestion, isNewQuestion, type Question, questionChange, questionOf } from './question.ts'
import { orderRefunds } from './refund.ts'
import { resolveFunds, type Resolved } from './resolve-funds.ts'
import { type KnownFunds, straightThrough } from './straight-through.ts'

/** What a batch of changes adds up to: all of it is written together. */
export type Batch = {
  deposits: NewDeposit[]
  entries: Entry[]
  steps: Step[]
  /** Transactions at a price that is new. */
  quotes: Transaction[]
  payouts: PayoutOrder[]
  /** Whose customers are asked something that they were not asked before. */
  questions: { transactionId: bigint; question: Question }[]
}

/** A batch of nothing yet. */
export const newBatch = (): Batch => ({
  deposits: [],
  entries: [],
  steps: [],
  quotes: [],
  payouts: [],
  questions: [],
})

/**
 * Writes a batch in the caller's block: deposits, prices, status and events, the books, the orders of payouts, emails with questions.
 * Gives the transactions that have changed.
 */
export async function writeBatch(ctx: Ctx, db: Atomic, batch: Batch): Promise<Transaction[]> {
  insertDeposits(db, batch.deposits)
  if (batch.quotes.length > 0) keepQuotes(ctx, db, batch.quotes)
  const changed = await advance(ctx, db, batch.steps)
  await post(db, ctx, batch.entries)
  lowerAvailable(db, batch.entries)
  await orderPayouts(ctx, db, batch.payouts)
  for (const { transactionId, question } of batch.questions) {
    const transaction = changed.find(({ id }) => id === transactionId)
    if (transaction) await emailQuestion(ctx, db, transaction, question)
  }
  return changed
}

/** A transaction that this block has locked, and its partner. */
export type Subject = { transaction: Transaction; partner: Partner }

/**
 * Applies one change to a transaction's money and adds whatever follows from it to the batch: an exchange, refunds, a hold, with an
 * email to the customer where something is asked, or the end. The only way in which money is decided about. What changed is booked or
 * in the batch already; it all commits with the caller's block.
 */
export async function settle(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  subject: Subject,
  change: FundsChange,
): Promise<Decision> {
  const known = straightThrough(ctx, subject, change)
  if (change.kind === 'deposit_final') {
    if (known) batch.deposits.push(change.deposit)
    else insertDeposits(db, [change.deposit])
  }
  if (change.kind === 'released') acceptPayers(db, subject.transaction.id, ctx.clock.now())
  const resolved = await resolveFunds(ctx, db, subject, { change, known })
  await carryOut(ctx, db, batch, subject, { change, known, resolved })
  return resolved.decision
}

/** The same, written at once. Gives the transaction as it is then. */
export async function settleNow(
  ctx: Ctx,
  db: Atomic,
  subject: Subject,
  change: FundsChange,
): Promise<{ transaction: Transaction; decision: Decision }> {
  const batch = newBatch()
  const decision = await settle(ctx, db, batch, subject, change)
  const transaction = (await writeBatch(ctx, db, batch)).at(-1)
  if (!transaction) throw new Error('The transaction did not change.')
  return { transaction, decision }
}

type Settlement = { change: FundsChange; known: KnownFunds | undefined; resolved: Resolved }

async function carryOut(
  ctx: Ctx,
  db: Atomic,
  batch: Batch,
  { transaction }: Subject,
  { change, known, resolved }: Settlement,
): Promise<void> {
  const { decision, funds, position, limits, orders, dust } = resolved
  const exchange = decision.exchange && exchangeAt(transaction, decision.exchange, limits)
  refuseLess(change, exchange)

  const question = await questionOf(db, transaction, { decision, position, limits, funds })
  if (question && isNewQuestion(transaction, decision, question)) {
    batch.questions.push({ transactionId: transaction.id, question: question.question })
  }
  const ordered = await orderRefunds(ctx, db, orders)
  await writeOff(ctx, batch, transaction, dust)
  use(db, batch, [
    ...(decision.exchange?.parts ?? []).map(({ depositId: id, amount }) => ({ id, exchanged: amount, refunded: 0n })),
    ...[...orders, ...dust].map(({ depositId: id, amount }) => ({ id, exchanged: 0n, refunded: amount })),
  ])
  const written: Change = {
    ...failureOf(transaction, change),
    ...questionChange(transaction, question),
    ...paidOf(funds),
    fromAmount: arrivedOf(transaction, funds),
    ...exchange?.change,
    ...(dust.length > 0 ? { errors: withError(transaction, belowCost) } : {}),
    refunds: refundViews(transaction.refunds, [...funds.refunds, ...ordered], funds.payouts),
    statusDetails: decision.details,
  }
  batch.steps.push(...stepsOf(transaction, decision, { change, known, written, policies: limits.policies }))
  if (exchange) bookExchange(ctx, batch, exchange, funds)
}

const withError = ({ errors }: Transaction, error: Transaction['errors'][number]): Transaction['errors'] =>
  [...errors, error].slice(-10)

const belowCost = { code: 'refund_below_cost', reason: 'Less was left than sending it back costs.' }

/** Partners see that a payment was reversed at our loss, and that a refund failed. */
function failureOf(transaction: Transaction, change: FundsChange): Change {
  if (isLoss(change))
    return { errors: withError(transaction, { code: 'payment_reversed', reason: lossReasonOf(change) }) }
  if (change.kind === 'refund_failed') return { errors: withError(transaction, refundFailed) }
  return change.kind === 'refund_returned' ? { errors: withError(transaction, refundReturned) } : {}
}

const refundFailed = { code: 'refund_failed', reason: 'The refund was refused.' }
const refundReturned = { code: 'refund_failed', reason: 'The refund came back.' }

const isLoss = (change: FundsChange): change is Extract<FundsChange, { kind: 'deposit_reversed' }> =>
  change.kind === 'deposit_reversed' && change.isLoss

/** An exchange pays out at least what its customer was shown. */
function refuseLess(change: FundsChange, exchange: Exchange | undefined): void {
  if (change.kind !== 'price_accepted' || (exchange?.transaction.expectedTo ?? 0n) >= change.atLeast) return
  throw new Refusal('CONFLICT', 'The price has changed. Please look at what comes out now.')
}

async function writeOff(ctx: Ctx, batch: Batch, transaction: Transaction, dust: Part[]): Promise<void> {
  const at = ctx.clock.now()
  for (const part of dust) {
    batch.entries.push(writeOffEntry(transaction, { ...part, ref: await ctx.rowIds.next() }, at))
  }
}

/** Uses deposits: one that is still to be inserted with this batch is inserted used. */
function use(db: Atomic, batch: Batch, uses: DepositUse[]): void {
  const stored: DepositUse[] = []
  for (const one of uses) {
    const index = batch.deposits.findIndex(({ id }) => id === one.id)
    const pending = batch.deposits[index]
    if (pending) batch.deposits[index] = { ...pending, exchanged: pending.exchanged + one.exchanged }
    else stored.push(one)
  }
  useDeposits(db, stored)
}

function bookExchange(ctx: Ctx, batch: Batch, { transaction, isNewQuote }: Exchange, funds: Funds): void {
  if (isNewQuote) batch.quotes.push(transaction)
  batch.entries.push(exchangeEntry(transaction, ctx.clock.now()))
  const number = nextPayoutNumber(funds)
  batch.payouts.push(payoutOrder(ctx, transaction, { number, amount: transaction.expectedTo }))
}

type StepContext = {
  change: FundsChange
  known: KnownFunds | undefined
  written: Change
  policies: PolicyVersions | undefined
}

/** The status changes of a decision. What the lifecycle does not allow in one, from an end or from a payout, is held in between. */
function stepsOf(
  transaction: Transaction,
  { to, exchange, details, reason: why }: Decision,
  { change, known, written, policies }: StepContext,
): Step[] {
  const { status } = transaction
  const cause = causeOf(change)
  const reason = known ? undefined : reasonOf(change)
  const isReported = isLoss(change)
  const own = why ?? reason
  const step: Step = {
    transaction,
    cause,
    to,
    ...(own === undefined ? {} : { reason: own }),
    change: written,
    ...(policies && details === 'review' ? { policies } : {}),
    isReported,
  }
  if (exchange && to === status) {
    // What was exchanged was reversed just now, and no status says that something is exchanged again.
    const id = BigInt(written.quoteNumber ?? transaction.quoteNumber)
    return [
      step,
      { transaction, cause: { kind: 'exchanged_again', id }, to, reason: 'What is left is exchanged again.' },
    ]
  }
  if (to === status || lifecycle[status].includes(to)) return [step]
  const { fromAmount = transaction.fromAmount, toAmount = null, outputHash = null, refunds = [] } = written
  const between: Step = {
    transaction,
    cause,
    to: 'on_hold',
    reason: reason ?? 'There is more money in it.',
    change: { fromAmount, toAmount, outputHash, refunds },
  }
  return [between, { ...step, cause: { kind: 'settled' }, reason: why ?? 'It continues.' }]
}
