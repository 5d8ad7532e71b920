import type { Atomic } from '../../platform/db/sql.ts'
import type { VenueFill } from '../../markets/trading-venue.ts'
import type { Ctx } from '../context.ts'
import { held, hedgingFees, position } from '../ledger/account.ts'
import { lowerAvailable } from '../ledger/balance.ts'
import { type Entry, entry, type Posting } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'
import { exactOf, unitsOf } from './decimals.ts'
import type { Hedge } from './hedge.ts'
import * as queries from './hedges.sql.ts'
import { decimalsOf } from './mark.ts'
import { assetAt, hedgingOf } from './propose-hedges.ts'

/** `filled` in the smallest unit of the hedge's base. `isComplete`: the booked fills are all that the venue counts. */
export type BookedFills = { filled: bigint; isComplete: boolean }

/**
 * Books the trades of a hedge that are not booked yet, each once by the venue's id of it, in the block that has locked the hedge. The
 * venue may show the same trade any number of times, in any order. `counted`: how much was filled by the venue's own count.
 */
export async function bookFills(
  ctx: Ctx,
  db: Atomic,
  hedge: Hedge,
  fills: readonly VenueFill[],
  counted: bigint,
): Promise<BookedFills> {
  const entries: Entry[] = []
  let filled = hedge.filled
  for (const fill of fills) {
    const row = await rowOf(ctx, hedge, fill)
    if ((await queries.insertFill(db, row)).length === 0) continue
    filled += row.baseAmount
    entries.push(fillEntry(hedge, row, ctx.clock.now()))
  }
  if (entries.length > 0) {
    await post(db, ctx, entries)
    lowerAvailable(db, entries)
    queries.saveFilled(db, { id: hedge.id, filled })
  }
  const booked = (await queries.exactFills(db, hedge.id)).reduce((sum, { exact }) => sum + exactOf(exact), 0n)
  return { filled, isComplete: booked === counted }
}

/** What is booked of a trade: what we received is rounded down, what we paid is rounded up. */
async function rowOf(ctx: Ctx, hedge: Hedge, fill: VenueFill): Promise<queries.BookedFill> {
  const isBuy = hedge.side === 'buy'
  const [amount, cost] = [exactOf(fill.amount), exactOf(fill.cost)]
  if (amount <= 0n || cost < 0n) throw new Error(`The trade ${fill.id} at ${hedge.venue} has an impossible amount.`)
  const fees = fill.fees.filter((fee) => exactOf(fee.amount) !== 0n)
  const [fee] = fees
  if (fees.length > 1) throw new Error(`The trade ${fill.id} at ${hedge.venue} has fees in several currencies.`)
  const feeAsset = fee ? feeAssetOf(ctx, hedge, fee.ticker) : null
  return {
    id: await ctx.rowIds.next(),
    hedgeId: hedge.id,
    venue: hedge.venue,
    fill: fill.id,
    exact: fill.amount,
    baseAmount: unitsOf(amount, decimalsOf(hedge.base), isBuy ? 'down' : 'up'),
    quoteAmount: unitsOf(cost, decimalsOf(hedge.quote), isBuy ? 'up' : 'down'),
    feeAsset,
    feeAmount: fee && feeAsset !== null ? signedUnits(exactOf(fee.amount), feeAsset) : null,
    at: fill.at,
  }
}

/** A fee is rounded up, and one that was paid to us is rounded toward zero. */
const signedUnits = (exact: bigint, asset: string): bigint =>
  exact < 0n ? -unitsOf(-exact, decimalsOf(asset), 'down') : unitsOf(exact, decimalsOf(asset), 'up')

/** A fee may be in a third currency, which the venue holds for us as well. */
function feeAssetOf(ctx: Ctx, { base, quote }: Hedge, ticker: string): string {
  const own = [base, quote].find((asset) => asset.startsWith(`${ticker}-`))
  return own ?? assetAt(hedgingOf(ctx), ticker).id
}

/** Books one trade, at business time: the position on one side, the venue's account on the other, and the venue's fee. */
function fillEntry(hedge: Hedge, row: queries.BookedFill, at: Date): Entry {
  const [ours, account] = [held(hedge.venue), position]
  const isBuy = hedge.side === 'buy'
  const base = { asset: hedge.base, amount: row.baseAmount }
  const quote = { asset: hedge.quote, amount: row.quoteAmount }
  const fee = row.feeAmount ?? 0n
  const feePosting: Posting[] =
    row.feeAsset === null
      ? []
      : fee < 0n
        ? [{ debit: ours, credit: hedgingFees, asset: row.feeAsset, amount: -fee }]
        : [{ debit: hedgingFees, credit: ours, asset: row.feeAsset, amount: fee }]
  return entry({ transactionId: null, kind: 'hedge_fill', ref: row.id, at }, [
    isBuy ? { debit: ours, credit: account, ...base } : { debit: account, credit: ours, ...base },
    isBuy ? { debit: account, credit: ours, ...quote } : { debit: ours, credit: account, ...quote },
    ...feePosting,
  ])
}
