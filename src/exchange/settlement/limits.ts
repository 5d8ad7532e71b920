import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import { customerLimit } from '../customers/customer-limit.ts'
import { lockPerson, sharesCard } from '../customers/traits.sql.ts'
import { type CustomerProfile, profilesOf } from '../customers/profile.ts'
import type { Partner } from '../partners/partner.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { ended } from '../transactions/lifecycle.ts'
import { flowOf, methodOf } from '../transactions/method.ts'
import { askOfTransaction, settlingMomentOf, termsOfPartner } from '../transactions/policy.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { freeExpected, type FundsPosition, type Limits, type PriceVerdict } from './decide.ts'
import { depositsOf } from './deposit.ts'
import { payerReviewReason } from './payer.ts'
import { type Repriced, reprice } from './reprice.ts'

/** How and when money came: its deposit method, when the rail first reported it, and when it reported it as final. */
export type Arrival = { method: string; arrivedAt: Date; finalAt: Date }

/** What limits are read for. Without an arrival somebody asks, now. */
export type LimitsQuery = {
  transaction: Transaction
  partner: Partner
  position: FundsPosition
  arrival?: Arrival | undefined
}

/**
 * The limits of a transaction, with the new price of an amount (undefined when no price can be made now) and the policies that the
 * customer was assessed with.
 */
export type PricedLimits = Limits & {
  repriced(amount: bigint): Repriced | undefined
  policies?: PolicyVersions
}

/** How much of a transaction's money may be exchanged now, and at which price: by the pair, the account, the customer, the market. */
export async function readLimits(ctx: Ctx, db: Db, query: LimitsQuery): Promise<PricedLimits> {
  const { transaction, partner, position, arrival } = query
  if (freeExpected(position) === 0n) return noLimits
  if (transaction.isErased) return { ...noLimits, needsReview: true }
  const depositMethod = arrival?.method ?? transaction.depositMethod
  const range = rangeOf(ctx, query, depositMethod)
  const customer = await profileOf(ctx, db, transaction)
  const left = await leftOf(ctx, db, transaction)
  const reviewReason = await payerReviewReason(db, transaction.id)
  const isThirdParty = reviewReason !== undefined
  return {
    tolerance: toleranceOf(partner, position),
    least: range.min,
    most: left !== undefined && left < range.max ? left : range.max,
    needsReview:
      isThirdParty || (customer !== undefined && needsReview(customer)) || (await isOverByCard(db, query, left)),
    ...(reviewReason === undefined ? {} : { reviewReason }),
    ...pricesOf(ctx, query),
    ...(customer || isThirdParty ? { policies: assessedBy(ctx, transaction, { customer, isThirdParty }) } : {}),
  }
}

/** What an order may exchange by its pair, and of more than was agreed only what its rail can pay out. */
function rangeOf(
  ctx: Ctx,
  { transaction, partner, position: { agreed } }: LimitsQuery,
  depositMethod: string,
): { min: bigint; max: bigint } {
  const moment = settlingMomentOf(ctx, ctx.clock.now())
  const terms = termsOfPartner(partner, transaction.kind)
  const ask = askOfTransaction({ ...transaction, depositMethod })
  const outcome = resolve(moment, terms, ask)
  if (!outcome.available) return { min: 0n, max: agreed }
  const { min, max } = outcome.exchange.range
  const payable = resolve({ ...moment, isPayable: true }, terms, ask)
  const bound = payable.available && payable.exchange.range.max > agreed ? payable.exchange.range.max : agreed
  return { min, max: bound < max ? bound : max }
}

/** The versions of the policies that say whether the money may be exchanged now, and how much of it. */
function assessedBy(
  { policies, clock }: Ctx,
  { partnerId }: Transaction,
  { customer, isThirdParty }: { customer: CustomerProfile | undefined; isThirdParty: boolean },
): PolicyVersions {
  const kinds = [
    ...(customer ? (['risk', 'countries', 'screening', 'limits'] as const) : []),
    ...(isThirdParty ? (['payers'] as const) : []),
  ]
  return Object.fromEntries(kinds.map((kind) => [kind, policies.at(clock.now(), kind, partnerId).version]))
}

/**
 * Whether an order exceeds what its person may exchange since it was agreed, because another customer has paid with the same card. A
 * family may share one, so staff decide.
 */
async function isOverByCard(
  db: Db,
  { transaction, position }: LimitsQuery,
  left: bigint | undefined,
): Promise<boolean> {
  const { customerId } = transaction
  if (customerId === null || left === undefined || left >= position.agreed || position.exchanged > 0n) return false
  return sharesCard(db, customerId)
}

/** How much more or less than agreed may come: it is exchanged all the same, and more of it has the agreed price too. */
const toleranceOf = ({ settings }: Partner, { agreed }: FundsPosition): bigint =>
  (agreed * BigInt(settings.underpaymentBasisPoints)) / 10_000n

/** Nothing of the agreed asset is free: nothing looks at the limits. */
const noLimits: PricedLimits = {
  tolerance: 0n,
  least: 0n,
  most: 0n,
  covered: 0n,
  priceOf: () => 'none',
  excessPriceOf: () => 'none',
  repriced: () => undefined,
  needsReview: false,
}

/** The limits of a payment exactly as agreed, from a customer to whom no rule applies: only its price is left to be known. */
export const limitsAsAgreed = (ctx: Ctx, query: LimitsQuery): PricedLimits => ({
  ...noLimits,
  most: query.position.agreed,
  ...pricesOf(ctx, query),
})

/**
 * Keeps others from counting what a customer may still exchange until this block ends, which is about to use something of it: two of
 * theirs at once never take the same amount. Before `readLimits`, by whatever acts on them.
 */
export function lockLimits(db: Atomic, { kind, customerId }: Transaction, position: FundsPosition): void {
  if (kind === 'retail' && customerId !== null && freeExpected(position) > 0n) lockPerson(db, customerId)
}

async function profileOf(ctx: Ctx, db: Db, transaction: Transaction): Promise<CustomerProfile | undefined> {
  const { id, kind, partnerCustomerId } = transaction
  if (kind === 'b2b' || partnerCustomerId === null) return undefined
  return (await profilesOf(ctx, db, [partnerCustomerId], id))[0]
}

const needsReview = ({ status, risk }: CustomerProfile): boolean =>
  status === 'blocked' || risk.level === 'high' || risk.level === 'prohibited'

/**
 * What a customer may still exchange in a transaction, in units of its source asset, next to everything else that they have used
 * and are about to, and less what it has exchanged itself; undefined where its worth is not known.
 */
async function leftOf(ctx: Ctx, db: Db, transaction: Transaction): Promise<bigint | undefined> {
  const { id, kind, customerId, partnerId, fromAmountInEur: cents, expectedFrom } = transaction
  if (kind === 'b2b' || cents === null || cents === 0n) return undefined
  const limit = await customerLimit(ctx, db, { customerId, partnerId }, ctx.clock.now(), { besides: id })
  if (limit === undefined) return undefined
  const own = (await depositsOf(db, id)).reduce((sum, { exchanged }) => sum + exchanged, 0n)
  const left = (limit * expectedFrom) / cents - own
  return left > 0n ? left : 0n
}

/**
 * The price of an amount. A bank transfer is priced when it arrives, and money that came by another way than was chosen last at the
 * price of that way. Each amount is priced once. The agreed price covers the agreed amount and the tolerance: an unlimited one
 * would be a free option on any amount.
 */
function pricesOf(ctx: Ctx, query: LimitsQuery): Prices {
  const { transaction, partner, position, arrival } = query
  const method = arrival?.method ?? transaction.depositMethod
  const known = new Map<bigint, Repriced | undefined>()
  const repriced = (amount: bigint): Repriced | undefined => {
    if (!known.has(amount))
      known.set(amount, reprice(ctx, partner, transaction, { method, amount, exchanged: position.exchanged }))
    return known.get(amount)
  }
  const priceOf = (amount: bigint): PriceVerdict => {
    const isFirst = position.exchanged === 0n && !ended.has(transaction.status)
    const isPricedNow = flowOf(methodOf(transaction.from, method).category) === 'transfer'
    if (isFirst && method === transaction.depositMethod && !isPricedNow) {
      if ((arrival?.arrivedAt ?? ctx.clock.now()) <= transaction.quoteExpiresAt) return 'agreed'
      // It was seen before, and priced then: what was beyond the limit at its arrival is not tried again at a better moment.
      if (arrival && arrival.finalAt > arrival.arrivedAt) return 'far'
    }
    return verdictOf(repriced(amount))
  }
  // A price that covers an earlier excess already covers all of that, and no more.
  const { quote } = transaction
  return {
    covered: quote.excess ? position.agreed : position.agreed + toleranceOf(partner, position),
    priceOf,
    excessPriceOf: (amount) => (quote.excess ? 'none' : verdictOf(repriced(amount))),
    repriced,
  }
}

type Prices = Pick<PricedLimits, 'covered' | 'priceOf' | 'excessPriceOf' | 'repriced'>

const verdictOf = (repriced: Repriced | undefined): Exclude<PriceVerdict, 'agreed'> => {
  if (!repriced) return 'none'
  return repriced.withinSlippage ? 'near' : 'far'
}
