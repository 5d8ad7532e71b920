import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Partner } from '../partners/partner.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import { makeQuote, type Quote, unitsIn } from '../pricing/quote.ts'
import { bareSum } from '../pricing/sum.ts'
import { askOfTransaction, heldFor, settlingMomentOf, termsOfPartner, validityOf } from '../transactions/policy.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** A transaction at a new price, and whether the new price is within what its customer accepted. */
export type Repriced = { transaction: Transaction; withinSlippage: boolean }

/** `exchanged`: what the transaction has exchanged before, whose fees are paid. */
type RepriceOptions = { method?: string; amount?: bigint; exchanged?: bigint; until?: Date }

/**
 * The price of a transaction at this moment, for money that arrived after its price had ended: the same source amount, or another
 * (in its smallest unit), by the method that the money came or is to come by. The amount was within its range when it was agreed: a
 * range that has moved since does not count. Undefined when no price can be made now. Gains and losses pass alike; a loss beyond the
 * partner account's slippage limit is for the customer to decide. By another method than before, or of another amount, the price
 * alone counts: what the other way costs was shown when it was chosen. It holds until `until` at most: a price that can no longer be
 * paid would be an empty promise.
 */
export function reprice(
  ctx: Ctx,
  partner: Partner,
  transaction: Transaction,
  { method = transaction.depositMethod, amount, exchanged = 0n, until }: RepriceOptions = {},
): Repriced | undefined {
  const now = ctx.clock.now()
  const { asset } = transaction.from
  const fromAmount = amount ?? unitsIn(transaction.quote.fromAmount, asset)
  const outcome = resolve(settlingMomentOf(ctx, now), termsOfPartner(partner, transaction.kind), {
    ...askOfTransaction({ ...transaction, depositMethod: method }),
    amount: { direction: 'direct', value: formatAmount(exchanged + fromAmount, asset), isAgreed: true },
  })
  if (!outcome.available || !outcome.sum) return undefined

  const { kind, partnerId } = transaction
  const validity = validityOf(ctx, { partnerId }, now)
  const slippage = slippageOf(ctx, partner, now)
  const { terms, deposit } = outcome.exchange
  const { toAmount } = bareSum({ ...terms, exchangedBefore: exchanged }, fromAmount, { feesIncluded: true })
  if (toAmount <= 0n) return undefined

  const payment = { category: deposit.category, kind }
  const held = heldFor(ctx, { rules: validity.rules, payment, rate: terms.rate, now })
  const quote = makeQuote(terms, {
    direction: 'direct',
    amount: fromAmount,
    exchangedBefore: exchanged,
    feesIncluded: true,
    madeAt: now,
    validForSeconds: secondsFor(held.ms, now, until),
    isFastMarket: held.isFastMarket,
    policies: { validity: validity.version, ...slippage.policies },
  })
  const [is, was] =
    method === transaction.depositMethod && formatAmount(fromAmount, asset) === transaction.quote.fromAmount
      ? [toAmount, transaction.expectedTo]
      : pricesOf(quote, transaction.quote)
  return {
    transaction: {
      ...transaction,
      depositMethod: method,
      quote,
      quoteNumber: transaction.quoteNumber + 1,
      expectedFrom: fromAmount,
      expectedTo: toAmount,
      quoteExpiresAt: new Date(quote.validUntil),
    },
    withinSlippage: is * 10_000n >= was * BigInt(10_000 - slippage.basisPoints),
  }
}

/** How far the price may move: as was agreed with the partner, else as the policy says. */
export function slippageOf(
  { policies }: Pick<Ctx, 'policies'>,
  { id, settings }: Partner,
  now: Date,
): { basisPoints: number; policies: PolicyVersions } {
  if (settings.slippageBasisPoints !== null) return { basisPoints: settings.slippageBasisPoints, policies: {} }
  const { version, rules } = policies.at(now, 'slippage', id)
  return { basisPoints: rules.boundBasisPoints, policies: { slippage: version } }
}

/** How long a price holds, in whole seconds: no longer than there is to pay. */
function secondsFor(usualMs: number, now: Date, until: Date | undefined): number {
  const leftMs = until === undefined ? usualMs : Math.max(until.getTime() - now.getTime(), 0)
  return Math.floor(Math.min(usualMs, leftMs) / 1_000)
}

/** Two quotes' prices as whole numbers that compare as the prices do. */
const pricesOf = ({ price: one }: HasPrice, { price: other }: HasPrice): [bigint, bigint] => [
  BigInt(one.numerator) * BigInt(other.denominator),
  BigInt(other.numerator) * BigInt(one.denominator),
]

type HasPrice = Pick<Quote, 'price'>
