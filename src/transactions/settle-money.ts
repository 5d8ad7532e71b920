import { assetById } from '../catalog/asset.ts'
import type { Category } from '../catalog/payment-method.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../db/sql.ts'
import type { Deposit } from '../deposits/deposit.ts'
import type { MatchedFact } from '../deposits/fact.ts'
import type { Partner } from '../partners/partner.ts'
import { amend } from './advance.ts'
import { depositEntry, exchangeEntry, payoutOrder, suspenseEntry } from './book.ts'
import { flowOf, methodOf } from './method.ts'
import type { Outcome } from './outcome.ts'
import { requote } from './requote.ts'
import type { StatusDetails, Transaction } from './transaction.ts'

/** A fact with everything it may be about: the transaction that its reference leads to, locked. */
export type Told = { fact: MatchedFact; transaction: Transaction | undefined; partner: Partner | undefined }

/** A payment that did not come about: the customer may try again until the deadline, and the record says so. */
export function settleDecline(ctx: Ctx, db: Atomic, transaction: Transaction, { body, method }: MatchedFact): void {
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
 * Money is there for good. It is booked, whatever else: then the exchange goes on if amount, asset, time and price are as
 * agreed, and stops for a person if not. Money of nobody, or of a person who was erased, lies in suspense.
 */
export async function settleMoney(ctx: Ctx, outcome: Outcome, { fact, transaction, partner }: Told): Promise<void> {
  const at = ctx.clock.now()
  const asset = assetById(fact.body.asset)
  const amount = BigInt(fact.body.amount)
  if (!asset || amount <= 0n) throw new Error(`Fact ${fact.id} tells of money that is none.`)

  const deposit: Deposit = {
    id: await ctx.rowIds.next(),
    transactionId: transaction?.id ?? null,
    factId: fact.id,
    rail: fact.rail,
    payment: fact.body.payment,
    asset: asset.id,
    amount,
    state: 'final',
    at,
  }
  const place = placeOf(ctx, fact.rail)
  outcome.deposits.push(deposit)
  if (!transaction || !partner) {
    outcome.entries.push(suspenseEntry(deposit, place, at))
    return
  }
  outcome.entries.push(depositEntry(transaction, deposit, place, at))

  const arrived = asset.id === transaction.from.asset.id ? transaction.fromAmount + amount : transaction.fromAmount
  const doubt = doubtAbout(transaction, fact, asset.id, amount)
  const priced = doubt ? undefined : pricedFor(ctx, partner, transaction, fact)
  if (!priced) return stop(outcome, transaction, deposit, arrived, doubt ?? 'late')

  const exchanging = { ...priced, fromAmount: arrived, errors: [], statusDetails: null }
  const { quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod } = exchanging
  outcome.steps.push({
    transaction,
    fact: `deposit:${deposit.id}`,
    to: 'exchanging',
    change: { fromAmount: arrived, errors: [], quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod },
  })
  if (quoteNumber !== transaction.quoteNumber) outcome.quotes.push(exchanging)
  outcome.entries.push(exchangeEntry(exchanging, at))
  outcome.payouts.push(payoutOrder(ctx, exchanging, { number: 1, amount: expectedTo }))
}

/** Why money cannot simply be exchanged; undefined when it is what was agreed. */
function doubtAbout(
  transaction: Transaction,
  fact: MatchedFact,
  asset: string,
  amount: bigint,
): StatusDetails | undefined {
  if (asset !== fact.asset || asset !== transaction.from.asset.id) return 'wrong_asset'
  const arrived = transaction.fromAmount + amount
  if (arrived > transaction.expectedFrom) return 'overpaid'
  if (arrived < transaction.expectedFrom) return 'underpaid'
  if (transaction.fromAmount > 0n) return 'review'
  return transaction.status === 'waiting_for_deposit' ? undefined : 'late'
}

/**
 * The transaction at the price that holds for money that came then and so; undefined when its customer has to be asked. A bank
 * transfer is priced when it arrives, and money that came by another way than was chosen last at the price of its own way.
 */
function pricedFor(
  ctx: Ctx,
  partner: Partner,
  transaction: Transaction,
  { received_at: receivedAt, arrived_at: arrivedAt, method }: MatchedFact,
): Transaction | undefined {
  const cameBy = method ?? transaction.depositMethod
  const isPricedNow = flowOf(methodOf(transaction.from, cameBy).category) === 'transfer'
  const asAgreed = cameBy === transaction.depositMethod && arrivedAt <= transaction.quoteExpiresAt
  if (asAgreed && !isPricedNow) return transaction
  // It was seen before, and priced then: what was beyond the bound at its arrival is not tried again at a better moment.
  if (cameBy === transaction.depositMethod && receivedAt > arrivedAt && !isPricedNow) return undefined
  const again = requote(ctx, partner, transaction, cameBy)
  return again?.withinSlippage ? again.transaction : undefined
}

/**
 * Money that is not what was agreed stays the customer's, and the transaction waits for a decision. One that owes its customer a
 * payout that came back goes on asking for an address: that can be answered.
 */
function stop(
  outcome: Outcome,
  transaction: Transaction,
  deposit: Deposit,
  arrived: bigint,
  doubt: StatusDetails,
): void {
  const underWay = transaction.status === 'exchanging' || transaction.status === 'sending'
  const statusDetails = transaction.statusDetails === 'address_needed' ? 'address_needed' : doubt
  outcome.steps.push({
    transaction,
    fact: `deposit:${deposit.id}`,
    to: underWay ? transaction.status : 'on_hold',
    reason: reasons[doubt] ?? doubt,
    change: { fromAmount: arrived, statusDetails },
  })
}

const reasons: Partial<Record<StatusDetails, string>> = {
  wrong_asset: 'Money of another currency arrived.',
  overpaid: 'More money arrived than was agreed.',
  underpaid: 'Less money arrived than was agreed.',
  review: 'The amount is there, in several payments.',
  late: 'Money arrived when its price no longer held.',
}

function placeOf({ rails }: Ctx, name: string): string {
  const rail = rails.deposit.get(name)
  if (!rail) throw new Error(`There is no rail ${name} in this process.`)
  return rail.place
}
