import { findListing } from '../catalog/asset.ts'
import type { Listing } from '../catalog/asset.ts'
import type { Country } from '../catalog/country.ts'
import { findCurrency, sideOf } from '../catalog/currency.ts'
import type { Side, Terms } from '../catalog/payment-method.ts'
import { parseAmount } from '../money/amount.ts'
import type { MarketPrice } from '../money/market.ts'
import { scheduleAt } from '../pricing/fees.ts'
import { freshPrice } from '../pricing/market.ts'
import type { MarketMoment } from '../pricing/market.ts'
import { rangeOf } from '../pricing/range.ts'
import type { Bounds } from '../pricing/range.ts'
import { termsOf } from '../pricing/terms.ts'
import { judgeMethod } from './judge-method.ts'
import type { Ask, AskPaths, Exchange, PartnerTerms } from './resolve.ts'
import { broken } from './rule.ts'
import type { Tell } from './rule.ts'

/** What judging a pair found, as far as it came; `exchange` only if no rule of the pair is broken. */
export type Pair = { source: Listing | undefined; target: Listing | undefined; exchange: Exchange | undefined }

/** The request, with what its form already told. */
type Question = { ask: Ask; paths: AskPaths; country: Country | undefined }

/** Finds the two assets, the side, the methods, the price and the range of a request. Tells every rule that it breaks. */
export function judgePair(moment: MarketMoment, partner: PartnerTerms, question: Question, tell: Tell): Pair {
  const { ask, paths } = question
  const source = judgeCurrency(
    'source',
    [ask.fromCurrency, ask.fromNetwork],
    [paths.fromCurrency, paths.fromNetwork],
    tell,
  )
  const target = judgeCurrency('target', [ask.toCurrency, ask.toNetwork], [paths.toCurrency, paths.toNetwork], tell)
  if (!source || !target) return { source, target, exchange: undefined }

  const side = judgeSide(source, target, paths, tell)
  const methods = side && judgeMethods({ side, source, target }, question, tell)
  const prices = judgePrices(moment, source, target, paths, tell)
  if (!side || !methods || !prices) return { source, target, exchange: undefined }

  const { deposit, payout } = methods
  const exchange = exchangeOf(moment, partner, { side, source, target, deposit, payout }, prices)
  if (!exchange) tell(broken('the pair has a range', paths.toCurrency, unavailable(source, target)))
  return { source, target, exchange }
}

const unavailable = (source: Listing, target: Listing): string =>
  `${source.currency.ticker} cannot be exchanged to ${target.currency.ticker} at the moment.`

type Two = readonly [string | undefined, string | undefined]

function judgeCurrency(
  end: 'source' | 'target',
  [ticker, network]: Two,
  [tickerPath, networkPath]: readonly [string, string],
  tell: Tell,
): Listing | undefined {
  if (ticker === undefined) {
    tell(broken(`the ${end} currency is given`, tickerPath, 'A currency is required.'))
    return undefined
  }
  const listing = findListing(ticker, network)
  if (listing) return listing

  const currency = findCurrency(ticker)
  if (currency) {
    const message = `${currency.ticker} is not available on this network.`
    tell(broken(`the ${end} currency is on the network`, networkPath, message))
  } else {
    tell(broken(`the ${end} currency is known`, tickerPath, 'We do not know this currency.'))
  }
  return undefined
}

function judgeSide(source: Listing, target: Listing, paths: AskPaths, tell: Tell): Side | undefined {
  const side = sideOf(source.currency, target.currency)
  if (side && source.asset.id !== target.asset.id) return side

  const message = `${source.currency.ticker} cannot be exchanged to ${target.currency.ticker}.`
  tell(broken('the two can be exchanged', paths.toCurrency, message))
  return undefined
}

type Methods = Pick<Exchange, 'deposit' | 'payout'>

function judgeMethods(
  { side, source, target }: Sided,
  { ask, paths, country }: Question,
  tell: Tell,
): Methods | undefined {
  const neither = paths.toCurrency
  const deposit = judgeMethod(
    source,
    {
      way: 'deposit',
      side,
      country,
      type: ask.depositType,
      category: ask.depositCategory,
      paths: { type: paths.depositType, category: paths.depositCategory, neither },
    },
    tell,
  )
  const payout = judgeMethod(
    target,
    {
      way: 'payout',
      side,
      country,
      type: ask.payoutType,
      category: ask.payoutCategory,
      paths: { type: paths.payoutType, category: paths.payoutCategory, neither },
    },
    tell,
  )
  return deposit && payout && { deposit, payout }
}

type Sided = Pick<Exchange, 'side' | 'source' | 'target'>

type Prices = { fromPrice: MarketPrice; toPrice: MarketPrice }

function judgePrices(
  moment: MarketMoment,
  source: Listing,
  target: Listing,
  paths: AskPaths,
  tell: Tell,
): Prices | undefined {
  const fromPrice = freshPrice(moment, source.currency.ticker)
  const toPrice = freshPrice(moment, target.currency.ticker)
  if (fromPrice && toPrice) return { fromPrice, toPrice }

  tell(broken('the pair has a fresh price', paths.toCurrency, unavailable(source, target)))
  return undefined
}

/** The exchange of a pair that is open and priced; undefined when no amount of it can be exchanged. */
function exchangeOf(
  { market, now }: MarketMoment,
  { commissionBasisPoints, limits, feeSchedules }: PartnerTerms,
  { side, source, target, deposit, payout }: Omit<Exchange, 'terms' | 'range'>,
  { fromPrice, toPrice }: Prices,
): Exchange | undefined {
  const terms = termsOf({
    side,
    from: source.asset,
    to: target.asset,
    fromPrice,
    toPrice,
    reference: market.reference,
    schedule: scheduleAt(now, feeSchedules),
    depositBasisPoints: deposit.deposit?.feeBasisPoints ?? 0,
    payoutBasisPoints: payout.withdrawal?.feeBasisPoints ?? 0,
    commissionBasisPoints,
    networkFee: parseAmount(target.network.networkFee ?? '0', target.asset),
  })
  const range = rangeOf(terms, {
    deposit: boundsOf(deposit.deposit),
    payout: boundsOf(payout.withdrawal),
    partner: limits,
  })
  return range && { side, source, target, deposit, payout, terms, range }
}

const boundsOf = (terms: Terms | null): Bounds => ({ min: terms?.min ?? null, max: terms?.max ?? null })
