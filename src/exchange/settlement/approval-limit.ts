import { listingById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { parseAmount, scale } from '../../platform/money/amount.ts'
import { tenTo } from '../../platform/money/ratio.ts'
import { isOurQuote } from '../transactions/quote-stamp.ts'
import * as queries from './approval.sql.ts'
import type { LockedPayout, PayablePayout } from './payout.ts'
import { type Refund, refundsOf } from './refund.ts'
import { eurCentsOf, type StoredQuote } from '../pricing/quote.ts'
import { rateBetween } from '../pricing/rate.ts'
import { settlingMomentOf } from '../transactions/policy.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * What decides about the worth of payouts, by transaction: the amounts that have left or are about to, and the quote, if it is one that
 * the service has written.
 */
export type WorthFacts = ReadonlyMap<bigint, { left: bigint; quote: StoredQuote | undefined }>

export async function readWorthFacts(ctx: Ctx, db: Db, transactions: readonly Transaction[]): Promise<WorthFacts> {
  const rows = await queries.worthFacts(
    db,
    transactions.map(({ id }) => id),
  )
  const known = new Map(rows.map((row) => [row.id, row]))
  return new Map(
    transactions.map(({ id, quote, quoteNumber: number }) => {
      const row = known.get(id)
      const isOurs =
        row && (row.carried_over || isOurQuote(ctx, { transactionId: id, number, quote, stamp: row.stamp }))
      return [id, { left: row?.left ?? 0n, quote: isOurs ? quote : undefined }]
    }),
  )
}

/**
 * Whether a payout is worth more than a limit in euro cents: what was exchanged for it, by its quote, or the same by the market of this
 * moment, whichever is more. Where neither is known it counts as above. The quote may be one of a later exchange of the same pair: a
 * payout is worth its own part of it, or a multiple. What was paid out of the same transaction before counts, so that nobody gets around
 * the limit by paying in parts. What the database alone says counts for nothing: a quote or a book of a market without our stamp.
 */
export function isPayoutAbove(
  ctx: Ctx,
  { amount, asset }: LockedPayout,
  { facts, transaction }: { facts: WorthFacts; transaction: Transaction | undefined },
  limit: bigint,
): boolean {
  if (!transaction) return true
  const { left = 0n, quote } = facts.get(transaction.id) ?? {}
  const paid = transaction.toAmount ?? 0n
  const sum = amount + (left > paid ? left : paid)
  return isAbove([quote && targetCents(quote, asset, sum), marketCents(ctx, { asset, amount: sum })], limit)
}

/** What an amount of a quote's target is worth: its part of the source amount. */
function targetCents(quote: StoredQuote, asset: string, amount: bigint): bigint | undefined {
  const cents = quote.to.id === asset ? eurCentsOf(quote, parseAmount(quote.fromAmount, quote.from)) : null
  return cents === null ? undefined : scale(cents, amount, parseAmount(quote.toAmount, quote.to), 'up')
}

/** The same of a refund and its payout. What has gone back of the same transaction before counts. */
export async function isRefundAbove(
  ctx: Ctx,
  db: Db,
  { refund, payout, transaction }: { refund: Refund; payout: PayablePayout; transaction: Transaction | undefined },
  limit: bigint,
): Promise<boolean> {
  const gone = transaction ? await queries.goneRefunds(db, transaction.id, refund.id) : []
  const own = refund.asset === payout.asset && refund.amount > payout.amount ? refund : payout
  return isAbove(await worthsOf(ctx, db, [own, ...gone], transaction), limit)
}

/** Whether all that goes back of a transaction, ordered or sent, is worth more than a limit. */
export async function areRefundsAbove(ctx: Ctx, db: Db, transaction: Transaction, limit: bigint): Promise<boolean> {
  const all = (await refundsOf(db, transaction.id)).filter(({ state }) => state !== 'failed' && state !== 'cancelled')
  return isAbove(await worthsOf(ctx, db, all, transaction), limit)
}

type Money = { asset: string; amount: bigint }

/** What all of it is worth, by its transaction's quote and by the market. */
async function worthsOf(
  ctx: Ctx,
  db: Db,
  all: readonly Money[],
  transaction: Transaction | undefined,
): Promise<(bigint | undefined)[]> {
  const facts = await readWorthFacts(ctx, db, transaction ? [transaction] : [])
  const quote = transaction && facts.get(transaction.id)?.quote
  return [
    sumOf(all.map(({ asset, amount }) => quote && sourceCents(quote, asset, amount))),
    sumOf(all.map((one) => marketCents(ctx, one))),
  ]
}

/** Nothing where one of them is not known. */
const sumOf = (cents: readonly (bigint | undefined)[]): bigint | undefined =>
  cents.reduce<bigint | undefined>((sum, one) => (sum === undefined || one === undefined ? undefined : sum + one), 0n)

/** Whether one of the worths that are known is above a limit; where none is known, yes. */
const isAbove = (worths: readonly (bigint | undefined)[], limit: bigint): boolean => {
  const known = worths.flatMap((cents) => cents ?? [])
  return known.length === 0 || known.some((cents) => cents > limit)
}

const sourceCents = (quote: StoredQuote, asset: string, amount: bigint): bigint | undefined =>
  quote.from.id === asset ? (eurCentsOf(quote, amount) ?? undefined) : undefined

function marketCents(ctx: Ctx, { asset: id, amount }: Money): bigint | undefined {
  const asset = listingById(id)?.asset
  const rate = asset && rateBetween(settlingMomentOf(ctx, ctx.clock.now()), asset.ticker, 'EUR')
  if (!rate) return undefined
  return scale(amount * 100n, rate.price.numerator, rate.price.denominator * tenTo(asset.decimals), 'up')
}
