import type { Category } from '../../reference/catalog/payment-category.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { type Deposit, keepDeposits } from './deposit.ts'
import type { MatchedEvent } from './rail-event.ts'
import type { Partner } from '../partners/partner.ts'
import { amend } from '../transactions/advance.ts'
import { depositEntry, exchangeEntry, payoutOrder, suspenseEntry } from './book.ts'
import { goOn } from './go-on.ts'
import { flowOf, methodOf } from '../transactions/method.ts'
import type { Outcome } from './outcome.ts'
import { requote } from './requote.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** A fact with everything it may be about: the transaction that its reference leads to, locked. */
export type Told = { fact: MatchedEvent; transaction: Transaction | undefined; partner: Partner | undefined }

/** A payment that did not come about: the customer may try again until the deadline, and the record says so. */
export function settleDecline(ctx: Ctx, db: Atomic, transaction: Transaction, { body, method }: MatchedEvent): void {
  if (transaction.status !== 'waiting_for_deposit') return
  const { category } = methodOf(transaction.from, method ?? transaction.depositMethod)
  const declined = cardCategories.has(category)
    ? { code: 'card_declined', reason: body.reason ?? 'The card was declined.' }
    : { code: 'payment_declined', reason: body.reason ?? 'The payment was declined.' }
  amend(ctx, db, transaction, { errors: [...transaction.errors, declined].slice(-10) })
}

/** Categories that a card stands behind. */
const cardCategories: ReadonlySet<Category> = new Set(['VISA_MC', 'APPLE_PAY', 'GOOGLE_PAY', 'REVOLUT_PAY'])

/**
 * Money is there for good. It is booked, whatever else. The plain road goes straight on: all that was agreed, at once, in time, at a
 * price that holds. Of everything else the one decision is asked, with all that came before in view. Money of nobody, or of a
 * person who was erased, lies in suspense.
 */
export async function settleMoney(
  ctx: Ctx,
  db: Atomic,
  outcome: Outcome,
  { fact, transaction, partner }: Told,
): Promise<void> {
  const at = ctx.clock.now()
  const amount = fact.amount
  const asset = bookedAsset(fact.asset)
  if (!asset || amount <= 0n) throw new Error(`Rail event ${fact.id} has an unknown asset or a non-positive amount.`)

  const deposit: Deposit = {
    id: await ctx.rowIds.next(),
    transactionId: transaction?.id ?? null,
    eventId: fact.id,
    rail: fact.rail,
    payment: fact.payment,
    asset: asset.id,
    amount,
    exchanged: 0n,
    state: 'final',
    at,
  }
  const place = placeOf(ctx, fact.rail)
  if (!transaction || !partner) {
    outcome.deposits.push(deposit)
    outcome.entries.push(suspenseEntry(deposit, place, at))
    return
  }
  outcome.entries.push(depositEntry(transaction, deposit, place, at))
  const priced = isPlain(transaction, fact, deposit) ? pricedFor(ctx, partner, transaction, fact) : undefined
  if (priced) return exchangeWhole(ctx, outcome, transaction, priced, deposit)

  keepDeposits(db, [deposit])
  const arrival = {
    cameBy: fact.method ?? transaction.depositMethod,
    arrivedAt: fact.arrived_at,
    toldAt: fact.received_at,
  }
  const what = {
    transaction,
    partner,
    cause: { kind: 'deposit_final', id: deposit.id } as const,
    reason: 'More money arrived.',
    arrival,
  }
  await goOn(ctx, db, outcome, what)
}

/** All that was agreed, in one payment, the first that came, of somebody about whom no rule has to be asked. */
function isPlain(transaction: Transaction, { watched }: MatchedEvent, { asset, amount }: Deposit): boolean {
  const { status, from, expectedFrom, history } = transaction
  const isFirst = !hasHappened(history, 'deposit_final', 'deposit_matched')
  const isAgreed = asset === from.asset.id && amount === expectedFrom
  return status === 'waiting_for_deposit' && isFirst && isAgreed && !watched
}

/** The plain road: no statement more than what it writes. */
function exchangeWhole(
  ctx: Ctx,
  outcome: Outcome,
  transaction: Transaction,
  priced: Transaction,
  deposit: Deposit,
): void {
  const exchanging = { ...priced, fromAmount: deposit.amount, errors: [], statusDetails: null }
  const { quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod } = exchanging
  outcome.deposits.push({ ...deposit, exchanged: deposit.amount })
  outcome.steps.push({
    transaction,
    cause: { kind: 'deposit_final', id: deposit.id } as const,
    to: 'exchanging',
    change: { fromAmount: deposit.amount, errors: [], quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod },
  })
  if (quoteNumber !== transaction.quoteNumber) outcome.quotes.push(exchanging)
  outcome.entries.push(exchangeEntry(exchanging, deposit.at))
  outcome.payouts.push(payoutOrder(ctx, exchanging, { number: 1, amount: expectedTo }))
}

/**
 * The transaction at the price that holds for money that came then and so; undefined when more has to be asked. A bank transfer is
 * priced when it arrives, and money that came by another way than was chosen last at the price of its own way.
 */
function pricedFor(
  ctx: Ctx,
  partner: Partner,
  transaction: Transaction,
  { received_at: receivedAt, arrived_at: arrivedAt, method }: MatchedEvent,
): Transaction | undefined {
  const cameBy = method ?? transaction.depositMethod
  const isPricedNow = flowOf(methodOf(transaction.from, cameBy).category) === 'transfer'
  const asAgreed = cameBy === transaction.depositMethod && arrivedAt <= transaction.quoteExpiresAt
  if (asAgreed && !isPricedNow) return transaction
  if (cameBy === transaction.depositMethod && receivedAt > arrivedAt && !isPricedNow) return undefined
  const again = requote(ctx, partner, transaction, { method: cameBy })
  return again?.withinSlippage ? again.transaction : undefined
}

function placeOf({ rails }: Ctx, name: string): string {
  const rail = rails.deposit(name)
  if (!rail) throw new Error(`There is no rail ${name} in this process.`)
  return rail.custodyAccount
}
