import { findListing } from '../../reference/catalog/asset.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import type { Country } from '../../reference/catalog/country.ts'
import { findCurrency, sideOf } from '../../reference/catalog/currency.ts'
import type { Kind, Side } from '../../reference/catalog/payment-method.ts'
import type { MarketMoment } from '../pricing/market.ts'
import { rateBetween } from '../pricing/rate.ts'
import type { Rate } from '../pricing/rate.ts'
import { exchangeOf, type Exchange } from './exchange.ts'
import { judgeMethod } from './judge-method.ts'
import type { ExchangeRequest, RequestPaths } from './request.ts'
import type { PartnerTerms } from './partner-terms.ts'
import type { ExchangeMoment } from './exchange-moment.ts'
import { broken } from './rule.ts'
import type { AddFailure } from './rule.ts'

/** What is known of a pair; `exchange` only if no rule of the pair is broken. */
export type Pair = { source: Listing | undefined; target: Listing | undefined; exchange: Exchange | undefined }

/** The request and its country, if that is valid. */
type RequestContext = { ask: ExchangeRequest; paths: RequestPaths; country: Country | undefined }

/** Finds assets, side, methods, price and range of a request. Reports every rule that it breaks. */
export function judgePair(
  moment: ExchangeMoment,
  partner: PartnerTerms,
  question: RequestContext,
  tell: AddFailure,
): Pair {
  const { ask, paths } = question
  const source = judgeCurrency(
    'source',
    [ask.fromCurrency, ask.fromNetwork],
    [paths.fromCurrency, paths.fromNetwork],
    tell,
  )
  const target = judgeCurrency('target', [ask.toCurrency, ask.toNetwork], [paths.toCurrency, paths.toNetwork], tell)
  judgeHalts(moment, { source, target }, paths, tell)
  if (!source || !target) return { source, target, exchange: undefined }

  const side = judgeSide(source, target, paths, tell)
  const { kind = 'retail' } = partner
  const methods = side && judgeMethods(moment, { kind, side, source, target }, question, tell)
  const prices = judgePrices(moment, source, target, paths, tell)
  if (!side || !methods || !prices) return { source, target, exchange: undefined }

  const rail = moment.isPayable ? moment.rails.forPayout(methods.payout.category, target.network.code) : undefined
  const payable = rail?.payout.most?.(target.asset.id)
  const exchange = exchangeOf(moment, partner, { side, source, target, ...methods, ...prices, payable })
  if (!exchange) tell(broken('the pair has a range', paths.toCurrency, unavailable(source.currency, target.currency)))
  return { source, target, exchange }
}

type TickerOnly = { ticker: string }

const unavailable = (source: TickerOnly, target: TickerOnly): string =>
  `${source.ticker} cannot be exchanged to ${target.ticker} at the moment.`

type Two = readonly [string | undefined, string | undefined]

function judgeCurrency(
  end: 'source' | 'target',
  [ticker, network]: Two,
  [tickerPath, networkPath]: readonly [string, string],
  tell: AddFailure,
): Listing | undefined {
  if (ticker === undefined) {
    tell(broken(`the ${end} currency is given`, tickerPath, 'This is required.'))
    return undefined
  }
  const listing = findListing(ticker, network)
  if (listing) return listing

  const currency = findCurrency(ticker)
  if (currency) {
    const message = `This is not a network of ${currency.ticker}.`
    tell(broken(`the ${end} currency is on the network`, networkPath, message))
  } else {
    tell(broken(`the ${end} currency is known`, tickerPath, 'This is not a currency that we know.'))
  }
  return undefined
}

function judgeHalts(
  { halts }: ExchangeMoment,
  pair: Omit<Pair, 'exchange'>,
  paths: RequestPaths,
  tell: AddFailure,
): void {
  if (!halts) return
  if (halts.all) tell(broken('the exchange takes orders', '', 'No orders can be made at the moment.'))
  for (const [end, path] of [
    ['source', paths.fromCurrency],
    ['target', paths.toCurrency],
  ] as const) {
    const listing = pair[end]
    if (!listing || !halts.assets.has(listing.asset.id)) continue
    tell(
      broken(`the ${end} currency is not halted`, path, `${listing.currency.ticker} is not available at the moment.`),
    )
  }
}

function judgeSide(source: Listing, target: Listing, paths: RequestPaths, tell: AddFailure): Side | undefined {
  const side = sideOf(source.currency, target.currency)
  if (side && source.asset.id !== target.asset.id) return side

  const message = `${source.currency.ticker} cannot be exchanged to ${target.currency.ticker}.`
  tell(broken('the two can be exchanged', paths.toCurrency, message))
  return undefined
}

type Methods = Pick<Exchange, 'deposit' | 'payout'>

function judgeMethods(
  { rails }: ExchangeMoment,
  { kind, side, source, target }: PairEnds,
  { ask, paths, country }: RequestContext,
  tell: AddFailure,
): Methods | undefined {
  const neither = paths.toCurrency
  const deposit = judgeMethod(
    source,
    {
      way: 'deposit',
      rails,
      kind,
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
      rails,
      kind,
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

type PairEnds = Pick<Exchange, 'side' | 'source' | 'target'> & { kind: Kind }

type Prices = { rate: Rate; worth: Rate }

/** The rates of the pair, and of the source in the reference currency. */
function judgePrices(
  moment: MarketMoment,
  { currency: source }: Listing,
  { currency: target }: Listing,
  paths: RequestPaths,
  tell: AddFailure,
): Prices | undefined {
  const isClosed = moment.market.isClosed?.(source.ticker, target.ticker, moment.now) === true
  const rate = isClosed ? undefined : rateBetween(moment, source.ticker, target.ticker)
  const worth = rateBetween(moment, source.ticker, moment.market.reference)
  if (rate && worth) return { rate, worth }

  tell(broken('the pair has a fresh price', paths.toCurrency, unavailable(source, target)))
  return undefined
}
