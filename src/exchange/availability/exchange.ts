import type { MarketSource } from '../../markets/source.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import { type MethodBounds, type PaymentMethod, type Side, termsFor } from '../../reference/catalog/payment-method.ts'
import type { Policy } from '../policies/policies.ts'
import { scheduleOf } from '../pricing/fees.ts'
import { type Bounds, type Range, rangeOf } from '../pricing/range.ts'
import type { Rate } from '../pricing/rate.ts'
import { type PairTerms, termsOf } from '../pricing/terms.ts'
import type { PricedMoment } from './exchange-moment.ts'
import type { PartnerTerms } from './partner-terms.ts'

/** A pair that is available, and on what terms. */
export type Exchange = {
  side: Side
  source: Listing
  target: Listing
  deposit: PaymentMethod
  payout: PaymentMethod
  terms: PairTerms
  range: Range
}

/** An open pair with its payment methods and market rates. */
export type OpenPair = Omit<Exchange, 'terms' | 'range'> & {
  rate: Rate
  /** From the source to the market's reference currency. */
  worth: Rate
  /** The most that can be paid out at once, if anything bounds that. */
  payable?: bigint | undefined
}

type FeePolicy = Policy<'fees' | 'b2b'>

/** A computed exchange, and what it was computed from apart from the pair and the partner's terms. */
type CachedExchange = Pick<OpenPair, 'rate' | 'worth' | 'payable'> & {
  policy: FeePolicy
  ranges: Policy<'ranges'>
  exchange: Exchange | undefined
}

/**
 * 30 pairs for each of 1,000 partners, some 35 MB. When the cache is full, further exchanges are computed each time: replacing
 * others was measured to cost more than it saves. Once a minute a full cache is emptied, so that it holds current requests.
 */
const maxCached = 32_768
const emptyAfterMs = 60_000

type Cache = { count: number; since: number; byPartner: WeakMap<PartnerTerms, Map<string, CachedExchange>> }

/** One for each market, so that the two markets of a test do not fill each other's. */
const caches = new WeakMap<MarketSource, Cache>()

/**
 * The exchange of a pair on a partner's terms; undefined when no amount of it can be exchanged.
 *
 * Most requests differ only in their amount, so the result is cached until the objects of its rates or the policies are
 * replaced. A new price affects the exchanges on its path only. An account that changes gets new `PartnerTerms`.
 */
export function exchangeOf(
  { market, now, policies }: PricedMoment,
  partner: PartnerTerms,
  pair: OpenPair,
): Exchange | undefined {
  const { source, target, deposit, payout, rate, worth, payable } = pair
  const policy = feePolicy(policies, now, partner)
  const ranges = policies.at(now, 'ranges', partner.partnerId)
  const cache = caches.get(market) ?? openCache(market, now)
  const key = `${source.asset.id} ${target.asset.id} ${deposit.type} ${payout.type}`
  const cached = cache.byPartner.get(partner)?.get(key)
  const isSame = cached?.rate === rate && cached.worth === worth && cached.payable === payable
  if (isSame && cached.policy === policy && cached.ranges === ranges) return cached.exchange

  const exchange = computeExchange(partner, pair, policy, ranges)
  if (cached) Object.assign(cached, { rate, worth, payable, policy, ranges, exchange })
  else if (hasRoom(cache, now)) {
    const exchanges = cache.byPartner.get(partner) ?? new Map<string, CachedExchange>()
    cache.byPartner.set(partner, exchanges.set(key, { rate, worth, payable, policy, ranges, exchange }))
    cache.count += 1
  }
  return exchange
}

/** The price list that holds for a partner's exchanges. */
export const feePolicy = (
  policies: PricedMoment['policies'],
  now: Date,
  { kind, partnerId }: Pick<PartnerTerms, 'kind' | 'partnerId'>,
): FeePolicy => (kind === 'b2b' ? policies.at(now, 'b2b', partnerId) : policies.at(now, 'fees', partnerId))

function openCache(market: MarketSource, now: Date): Cache {
  const cache: Cache = { count: 0, since: now.getTime(), byPartner: new WeakMap() }
  caches.set(market, cache)
  return cache
}

/** Empties a cache that is full and a minute of business time old. */
function hasRoom(cache: Cache, now: Date): boolean {
  const time = now.getTime()
  if (cache.count < maxCached) return true
  if (Math.abs(time - cache.since) < emptyAfterMs) return false
  Object.assign(cache, { count: 0, since: time, byPartner: new WeakMap() })
  return true
}

function computeExchange(
  { commissionBasisPoints, limits, limitsBySide, kind = 'retail', volumeCents }: PartnerTerms,
  { side, source, target, deposit, payout, rate, worth, payable }: OpenPair,
  policy: FeePolicy,
  ranges: Policy<'ranges'>,
): Exchange | undefined {
  const [wayIn, wayOut] = [termsFor(deposit.deposit, kind, side), termsFor(payout.withdrawal, kind, side)]
  const terms = termsOf({
    side,
    from: source.asset,
    to: target.asset,
    rate,
    worth,
    schedule: scheduleOf(policy, source.asset.ticker, target.asset.ticker, volumeCents),
    depositBasisPoints: policy.rules.methods.get(deposit.category)?.deposit ?? 0,
    payoutBasisPoints: policy.rules.methods.get(payout.category)?.payout ?? 0,
    depositFixed: policy.rules.fixed.get(deposit.category)?.deposit ?? '0',
    payoutFixed: policy.rules.fixed.get(payout.category)?.payout ?? '0',
    commissionBasisPoints,
    networkFee: networkFeeOf(target),
  })
  const range = rangeOf(terms, {
    deposit: boundsOf(wayIn),
    payout: boundsOf(wayOut),
    payable,
    partner: limitsBySide?.[side] ?? limits,
    house: ranges.rules[kind][side],
  })
  return range && { side, source, target, deposit, payout, terms, range }
}

const networkFees = new WeakMap<Listing, bigint>()

/** In units of the asset: catalog data, parsed once. */
function networkFeeOf(target: Listing): bigint {
  const known = networkFees.get(target)
  if (known !== undefined) return known
  const fee = parseAmount(target.network.networkFee ?? '0', target.asset)
  networkFees.set(target, fee)
  return fee
}

const boundsOf = (terms: MethodBounds | undefined): Bounds => ({ min: terms?.min ?? null, max: terms?.max ?? null })
