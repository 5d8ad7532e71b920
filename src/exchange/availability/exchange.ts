import type { MarketSource } from '../../markets/source.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import type { Listing } from '../../reference/catalog/asset.ts'
import { type MethodPrice, type PaymentMethod, type Side, termsFor } from '../../reference/catalog/payment-method.ts'
import { type FeeSchedule, scheduleAt } from '../pricing/fees.ts'
import type { MarketMoment } from '../pricing/market.ts'
import { type Bounds, type Range, rangeOf } from '../pricing/range.ts'
import type { Rate } from '../pricing/rate.ts'
import { type PairTerms, termsOf } from '../pricing/terms.ts'
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

/** A pair that is open, by which methods, and what the market says of it. */
export type OpenPair = Omit<Exchange, 'terms' | 'range'> & {
  rate: Rate
  /** What the source is worth in the market's reference currency. */
  worth: Rate
}

/** What was worked out, and from what besides the pair and the partner's terms. */
type Kept = Pick<OpenPair, 'deposit' | 'payout' | 'rate' | 'worth'> & {
  schedule: FeeSchedule
  exchange: Exchange | undefined
}

/**
 * The most exchanges of a market that are kept: 30 pairs for each of 1,000 partners, some 35 MB. What comes when it is full is worked out
 * each time: pushing out others for it was measured to cost more than it saves. Once a minute a full memory is emptied, so that
 * what is kept is what is asked now.
 */
const mostKept = 32_768
const keptForMs = 60_000

type Memory = { count: number; since: number; kept: WeakMap<PartnerTerms, Map<Listing, Map<Listing, Kept[]>>> }

/** A market's own: its rates are what is kept, and a process that has two, as tests do, must not fill the one for the other. */
const memories = new WeakMap<MarketSource, Memory>()

function memoryOf(market: MarketSource): Memory {
  const known = memories.get(market)
  if (known) return known
  const made: Memory = { count: 0, since: 0, kept: new WeakMap() }
  memories.set(market, made)
  return made
}

/**
 * The exchange of a pair on a partner's terms; undefined when no amount of it can be exchanged.
 *
 * Most requests differ in their amount alone, so it is kept until its rate, its worth or the price list becomes another object:
 * a price that changes touches the exchanges on its path and no others. An account that changes has another `PartnerTerms`.
 */
export function exchangeOf({ market, now }: MarketMoment, partner: PartnerTerms, pair: OpenPair): Exchange | undefined {
  const schedule = scheduleAt(now, partner.feeSchedules)
  const memory = memoryOf(market)
  const same = keptFor(memory, partner, pair)
  const known = same.find(({ deposit, payout }) => deposit === pair.deposit && payout === pair.payout)
  if (known && known.rate === pair.rate && known.worth === pair.worth && known.schedule === schedule) {
    return known.exchange
  }
  const exchange = workedOut(partner, pair, schedule)
  const { deposit, payout, rate, worth } = pair
  if (known) {
    known.rate = rate
    known.worth = worth
    known.schedule = schedule
    known.exchange = exchange
  } else if (mayKeepMore(memory, now)) {
    keep(memory, partner, pair, { deposit, payout, rate, worth, schedule, exchange })
  }
  return exchange
}

const none: readonly Kept[] = []

const keptFor = ({ kept }: Memory, partner: PartnerTerms, { source, target }: OpenPair): readonly Kept[] =>
  kept.get(partner)?.get(source)?.get(target) ?? none

/** Whether there is room; makes some when the memory is full and a minute of business time old. */
function mayKeepMore(memory: Memory, now: Date): boolean {
  const time = now.getTime()
  if (memory.count === 0) memory.since = time
  if (memory.count < mostKept) return true
  if (Math.abs(time - memory.since) < keptForMs) return false
  memory.since = time
  memory.count = 0
  memory.kept = new WeakMap()
  return true
}

function keep(memory: Memory, partner: PartnerTerms, { source, target }: OpenPair, one: Kept): void {
  const bySource = memory.kept.get(partner) ?? new Map<Listing, Map<Listing, Kept[]>>()
  const byTarget = bySource.get(source) ?? new Map<Listing, Kept[]>()
  memory.kept.set(partner, bySource.set(source, byTarget.set(target, [...(byTarget.get(target) ?? []), one])))
  memory.count += 1
}

function workedOut(
  { commissionBasisPoints, limits, limitsBySide, kind = 'retail' }: PartnerTerms,
  { side, source, target, deposit, payout, rate, worth }: OpenPair,
  schedule: FeeSchedule,
): Exchange | undefined {
  const [wayIn, wayOut] = [termsFor(deposit.deposit, kind, side), termsFor(payout.withdrawal, kind, side)]
  const terms = termsOf({
    side,
    from: source.asset,
    to: target.asset,
    rate,
    worth,
    schedule,
    depositBasisPoints: wayIn?.feeBasisPoints ?? 0,
    payoutBasisPoints: wayOut?.feeBasisPoints ?? 0,
    commissionBasisPoints,
    networkFee: networkFeeOf(target),
  })
  const range = rangeOf(terms, {
    deposit: boundsOf(wayIn),
    payout: boundsOf(wayOut),
    partner: limitsBySide?.[side] ?? limits,
    kind,
  })
  return range && { side, source, target, deposit, payout, terms, range }
}

const networkFees = new WeakMap<Listing, bigint>()

/** What a payout costs, in units of its asset: catalog data, read once. */
function networkFeeOf(target: Listing): bigint {
  const known = networkFees.get(target)
  if (known !== undefined) return known
  const fee = parseAmount(target.network.networkFee ?? '0', target.asset)
  networkFees.set(target, fee)
  return fee
}

const boundsOf = (terms: MethodPrice | undefined): Bounds => ({ min: terms?.min ?? null, max: terms?.max ?? null })
