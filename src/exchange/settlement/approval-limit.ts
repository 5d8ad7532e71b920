import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { parseAmount, scale } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import type { LockedPayout } from './payout.ts'
import { type Refund, refundsOf } from './refund.ts'
import { eurCentsOf } from '../pricing/quote.ts'
import { rateBetween } from '../pricing/rate.ts'
import { settlingMomentOf } from '../transactions/policy.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * Whether a payout is worth more than a limit in euro cents: what was exchanged for it, by its quote; where that is not known it
 * counts as above. The quote may be one of a later exchange of the same pair: a payout is worth its own part of it, or a multiple.
 * What was paid out of the same transaction before counts, so that nobody gets around the limit by paying in parts.
 */
export function isPayoutAbove({ amount }: LockedPayout, transaction: Transaction | undefined, limit: bigint): boolean {
  if (!transaction) return false
  const { quote, toAmount } = transaction
  const sum = amount + (toAmount ?? 0n)
  const cents = eurCentsOf(quote, parseAmount(quote.fromAmount, quote.from))
  return cents === null || scale(cents, sum, parseAmount(quote.toAmount, quote.to), 'up') > limit
}

/**
 * The same of a refund: by its transaction's quote where it is in the agreed asset, else by the market of this moment. What has gone
 * back of the same transaction before counts.
 */
export async function isRefundAbove(
  ctx: Ctx,
  db: Db,
  { refund, transaction }: { refund: Refund; transaction: Transaction | undefined },
  limit: bigint,
): Promise<boolean> {
  const others = transaction ? await refundsOf(db, transaction.id) : []
  const gone = others.filter(({ id, state }) => id !== refund.id && (state === 'sent' || state === 'paid'))
  let sum = 0n
  for (const one of [refund, ...gone]) {
    const cents = centsOf(ctx, one, transaction)
    if (cents === undefined) return true
    sum += cents
  }
  return sum > limit
}

function centsOf(ctx: Ctx, { asset: id, amount }: Refund, transaction: Transaction | undefined): bigint | undefined {
  const quoted = transaction?.from.asset.id === id ? eurCentsOf(transaction.quote, amount) : null
  if (quoted !== null) return quoted
  const asset = listingById(id)?.asset
  const rate = asset && rateBetween(settlingMomentOf(ctx, ctx.clock.now()), asset.ticker, 'EUR')
  if (!rate) return undefined
  return scale(amount * 100n, rate.price.numerator, rate.price.denominator * tenTo(asset.decimals), 'up')
}
