import { tenTo, type Ratio } from '../../platform/money/ratio.ts'
import { type BookedColumn, columnOf } from './house-accounts.ts'

/** Worths are whole numbers of 10^-8 EUR, prices whole numbers of 10^-18 EUR for one whole unit of an asset. */
export const worthDecimals = 8
const priceDecimals = 18

/** A price in EUR in the unit of marks, rounded down. */
export const priceOf = ({ numerator, denominator }: Ratio): bigint => (numerator * tenTo(priceDecimals)) / denominator

/** What an amount is worth at a price. Rounds toward zero, so that a reversal is worth exactly as much as what it reverses. */
export const worthOf = (amount: bigint, decimals: number, price: bigint): bigint =>
  (amount * price) / tenTo(decimals + priceDecimals - worthDecimals)

/** What an entry changed on one account of the house in one asset; a gain is positive. */
export type HouseChange = { account: string; asset: string; amount: bigint }

/** An exchange as the drift of its price needs it: the pair, and the market's rate that its quote was made at. */
export type ExchangedPair = { from: string; to: string; coin: string; quotedRate: Ratio }

/** An entry that changed accounts of the house. `base` of a hedge: the asset that was bought or sold. */
export type HouseEntry = {
  kind: string
  changes: readonly HouseChange[]
  exchanged?: ExchangedPair | undefined
  base?: string | undefined
}

/** Prices of the moment at which an entry is valued. */
export type Prices = {
  decimalsOf(asset: string): number
  /** The mark of an asset; 0 where none was ever known. */
  markOf(asset: string): bigint
  /** The market's rate between two assets in the direction of the exchange; undefined where there is no fresh one. */
  rateOf(from: string, to: string): Ratio | undefined
}

/** What an entry was worth to the house in one asset. */
export type Valuation = { asset: string; change: bigint; worth: bigint } & Record<BookedColumn, bigint>

/**
 * Values an entry at the prices of a moment. Each account's change is valued by itself and shows in its column; what an exchange
 * leaves in the position is its spread and drift, and shows with its coin:
 *
 * - `drift` is what the market's rate moved between the quote and the booking, for the amount that was exchanged;
 * - `spread` is the rest of what the two sides of the exchange differ by: our spread, and half of the market's own.
 *
 * Everything that a hedge changed is `hedging`. The columns of all assets sum up to the worths of all of them.
 */
export function valueEntry({ kind, changes, exchanged, base }: HouseEntry, prices: Prices): Valuation[] {
  const byAsset = new Map<string, Valuation>()
  const rowOf = (asset: string): Valuation => {
    const row = byAsset.get(asset) ?? emptyValuation(asset)
    byAsset.set(asset, row)
    return row
  }
  let left = 0n
  for (const { account, asset, amount } of changes) {
    const row = rowOf(asset)
    const worth = worthOf(amount, prices.decimalsOf(asset), prices.markOf(asset))
    row.change += amount
    row.worth += worth
    const column = kind === 'hedge_fill' ? 'exchange' : columnOf(account)
    if (column === 'exchange') left += worth
    else row[column] += worth
  }
  if (kind === 'hedge_fill') {
    rowOf(base ?? firstAsset(changes)).hedging += left
  } else if (exchanged) {
    const drift = driftOf(exchanged, changes, prices)
    const row = rowOf(exchanged.coin)
    row.drift += drift
    row.spread += left - drift
  } else if (left !== 0n) rowOf(firstAsset(changes)).spread += left
  return [...byAsset.values()]
}

/** The row of an asset before anything is valued: all zero. */
export const emptyValuation = (asset: string): Valuation => ({
  asset,
  change: 0n,
  worth: 0n,
  spread: 0n,
  fees: 0n,
  methodCosts: 0n,
  networkCosts: 0n,
  hedging: 0n,
  drift: 0n,
})

function firstAsset([first]: readonly HouseChange[]): string {
  if (!first) throw new Error('An entry without changes cannot be valued.')
  return first.asset
}

/** What the source amount in the position buys more of the target now than at the quote, at the target's mark. */
function driftOf({ from, to, quotedRate }: ExchangedPair, changes: readonly HouseChange[], prices: Prices): bigint {
  const rate = prices.rateOf(from, to)
  if (!rate) return 0n
  let source = 0n
  for (const { account, asset, amount } of changes) {
    if (asset === from && columnOf(account) === 'exchange') source += amount
  }
  const mark = prices.markOf(to)
  const scale = tenTo(prices.decimalsOf(from) + priceDecimals - worthDecimals)
  const at = ({ numerator, denominator }: Ratio): bigint => (source * numerator * mark) / (denominator * scale)
  return at(rate) - at(quotedRate)
}
