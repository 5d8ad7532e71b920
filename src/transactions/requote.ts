import { resolve } from '../availability/resolve.ts'
import type { Ctx } from '../context.ts'
import type { Partner } from '../partners/partner.ts'
import { makeQuote } from '../pricing/quote.ts'
import { askOfTransaction, momentOf, priceValidityMs, termsOfPartner } from './policy.ts'
import type { Transaction } from './transaction.ts'

/** A transaction at a new price, and whether the new price is within what its customer accepted. */
export type Requoted = { transaction: Transaction; withinSlippage: boolean }

/**
 * Prices a transaction anew, for money that arrived after its price had ended: the same source amount at the price of
 * this moment. Undefined when no price can be made now. Gains and losses pass alike; a loss beyond the partner account's
 * slippage bound is for the customer to decide.
 */
export function requote(ctx: Ctx, partner: Partner, transaction: Transaction): Requoted | undefined {
  const now = ctx.clock.now()
  const outcome = resolve(momentOf(ctx, now), termsOfPartner(partner), {
    ...askOfTransaction(transaction),
    amount: { direction: 'direct', value: transaction.quote.fromAmount },
  })
  if (!outcome.available || !outcome.sum) return undefined

  const quote = makeQuote(outcome.exchange.terms, {
    direction: 'direct',
    amount: outcome.sum.fromAmount,
    feesIncluded: true,
    madeAt: now,
    validForSeconds: priceValidityMs(ctx.config, outcome.exchange.deposit.category) / 1_000,
  })
  const accepted = transaction.expectedTo * BigInt(10_000 - partner.settings.slippageBasisPoints)
  return {
    transaction: {
      ...transaction,
      quote,
      quoteNumber: transaction.quoteNumber + 1,
      expectedTo: outcome.sum.toAmount,
      quoteExpiresAt: new Date(quote.validUntil),
    },
    withinSlippage: outcome.sum.toAmount * 10_000n >= accepted,
  }
}
