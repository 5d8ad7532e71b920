import { findCurrency } from '../reference/catalog/currency.ts'

/** A pair of currencies under its one name, and whether a text named it the other way round. */
export type Pair = { name: string; base: string; quote: string; isInverted: boolean }

/** Coins in which others are quoted, the strongest first. */
const quoteCoins = ['USDT', 'USDC', 'BTC', 'ETH']

/**
 * Reads `BTC/EUR`. A pair has one name, whichever way round a source names it: a coin is quoted in fiat money, fiat money in its
 * price for one euro, a coin in Tether, USD Coin, Bitcoin or Ether. Undefined for anything else, and for currencies that the
 * catalog does not have.
 */
export function readPair(text: string): Pair | undefined {
  const [base = '', quote = '', ...rest] = text.toUpperCase().split('/')
  const [left, right] = [findCurrency(base), findCurrency(quote)]
  if (!left || !right || left.ticker === right.ticker || rest.length > 0) return undefined
  const isInverted = weightOf(left.ticker) > weightOf(right.ticker) || isLater(left.ticker, right.ticker)
  const [first, second] = isInverted ? [right.ticker, left.ticker] : [left.ticker, right.ticker]
  return { name: `${first}/${second}`, base: first, quote: second, isInverted }
}

/** How readily a currency is what others are quoted in; the euro comes first of fiat money. */
function weightOf(ticker: string): number {
  if (isFiat(ticker)) return ticker === 'EUR' ? quoteCoins.length + 1 : quoteCoins.length + 2
  const rank = quoteCoins.indexOf(ticker)
  return rank === -1 ? 0 : quoteCoins.length - rank
}

const isLater = (one: string, other: string): boolean => weightOf(one) === weightOf(other) && one > other

export const isFiat = (ticker: string): boolean => findCurrency(ticker)?.kind === 'FIAT'
