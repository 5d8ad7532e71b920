import { resolve } from '../../src/exchange/availability/resolve.ts'
import type { Ctx } from '../../src/exchange/context.ts'
import type { Partner } from '../../src/exchange/partners/partner.ts'
import { defaultSettings } from '../../src/exchange/partners/settings.ts'
import type { Policies } from '../../src/exchange/policies/policies.ts'
import { sampleMarket } from '../../src/exchange/pricing/market-speed.ts'
import { makeQuote, unitsIn } from '../../src/exchange/pricing/quote.ts'
import { decide, type FundsPosition } from '../../src/exchange/settlement/decide.ts'
import { exchangeAt } from '../../src/exchange/settlement/exchange.ts'
import { limitsAsAgreed } from '../../src/exchange/settlement/limits.ts'
import { heldFor, settlingMomentOf, termsOfPartner, validityOf } from '../../src/exchange/transactions/policy.ts'
import type { Transaction } from '../../src/exchange/transactions/transaction.ts'
import { after } from '../../src/platform/lib/clock.ts'
import { formatAmount } from '../../src/platform/money/amount.ts'
import type { Kind } from '../../src/reference/catalog/payment-method.ts'
import { everyRail } from '../support/every-rail.ts'
import { policies as shipped } from '../support/policies.ts'
import { type Volatility, type WalkingMarket, walkingMarket } from './option-market.ts'

/** A way to use a held price for bitcoin that is sold for euros. Amounts are satoshi. */
export type Attack = {
  name: string
  kind: Kind
  agreed: bigint
  paid: bigint
  watchSeconds: number
  /**
   * When it pays: if the old price beats the present one; if the old price, after fees, beats the middle of the market; always, at the
   * old or the present price; or only if the payment as a whole gains, which cannot lose.
   */
  pays: 'old price better' | 'old price better after fees' | 'always, the better price' | 'only at a gain'
  /** As it was before a lock had a size. */
  isUnlimited?: boolean
  policies?: Policies
}

/** What it came to, in euro cents: positive is the attacker's gain. */
export type Outcome = {
  windows: number
  paid: number
  mean: number
  worst: number
  best: number
  house: number
  fees: number
}

export type Run = { seed: number; windows: number; volatility: Volatility }

const start = new Date('2026-11-23T00:00:00Z')
const windowSeconds = 1_500
const partner: Partner = {
  id: 1n,
  name: 'options',
  settings: defaultSettings,
  createdAt: start,
  disabledAt: null,
  volumeCents: 0n,
}

type Scene = { ctx: Ctx; market: WalkingMarket; setNow(now: Date): void }

/** As much of an exchange as prices, limits and decisions need. */
function sceneOf(market: WalkingMarket, policies: Policies): Scene {
  let now = start
  const ctx = {
    config: { pricing: { staleAfterMs: 60_000 } },
    clock: { now: () => now },
    market,
    policies,
    rails: everyRail,
  } as unknown as Ctx
  return { ctx, market, setNow: (at) => void (now = at) }
}

/** Plays an attack over windows of one market, one after the other. Prices, validity, sizes and decisions are the exchange's own. */
export function play(attack: Attack, { seed, windows, volatility }: Run): Outcome {
  const market = walkingMarket(seed, start, volatility)
  const scene = sceneOf(market, attack.policies ?? shipped)
  const results: { gain: number; fees: number }[] = []
  for (let index = 0; index < windows; index += 1) {
    const result = playWindow(scene, attack, after(start, index * windowSeconds * 1_000))
    if (result) results.push(result)
  }
  const gains = results.map(({ gain }) => gain)
  const total = gains.reduce((sum, gain) => sum + gain, 0)
  return {
    windows,
    paid: results.length,
    mean: total / windows,
    worst: Math.min(0, ...gains),
    best: Math.max(0, ...gains),
    house: -total,
    fees: results.reduce((sum, { fees }) => sum + fees, 0),
  }
}

function playWindow(scene: Scene, attack: Attack, from: Date): { gain: number; fees: number } | undefined {
  const { ctx, market } = scene
  scene.setNow(from)
  sampleMarket(market, after(from, -60_000))
  sampleMarket(market, from)
  const order = orderOf(ctx, attack)
  scene.setNow(after(from, attack.watchSeconds * 1_000))
  const now = ctx.clock.now()
  const mid = market.midAt(now)
  const old = payFor(ctx, order, attack, mid, now)
  if (attack.pays === 'only at a gain') return old.gain > 0 ? old : undefined
  if (attack.pays === 'old price better after fees') return old.isBetterAfterFees ? old : undefined
  if (attack.pays === 'old price better') return old.isOldBetter ? old : undefined
  // A new order, at the present price, is always there to choose.
  const fresh = payFor(ctx, orderOf(ctx, { ...attack, agreed: attack.paid }), attack, mid, now)
  return old.gain > fresh.gain ? old : fresh
}

function orderOf(ctx: Ctx, { kind, agreed }: Pick<Attack, 'kind' | 'agreed'>): Transaction {
  const now = ctx.clock.now()
  const outcome = resolve(settlingMomentOf(ctx, now), termsOfPartner(partner, kind), {
    fromCurrency: 'BTC',
    toCurrency: 'EUR',
    amount: { direction: 'direct', value: formatAmount(agreed, { decimals: 8 }) },
  })
  if (!outcome.available || !outcome.sum) throw new Error('The attack cannot be ordered.')
  const { terms, source, target, deposit, payout, side } = outcome.exchange
  const { rules } = validityOf(ctx, { partnerId: partner.id }, now)
  const held = heldFor(ctx, { rules, payment: { category: deposit.category, kind }, rate: terms.rate, now })
  const quote = makeQuote(terms, {
    direction: 'direct',
    amount: agreed,
    feesIncluded: true,
    madeAt: now,
    validForSeconds: Math.floor(held.ms / 1_000),
  })
  return {
    id: 1n,
    kind,
    side,
    partnerId: partner.id,
    status: 'waiting_for_deposit',
    statusDetails: null,
    history: [],
    errors: [],
    from: source,
    to: target,
    depositMethod: deposit.type,
    payoutMethod: payout.type,
    expectedFrom: agreed,
    expectedTo: outcome.sum.toAmount,
    initialExpectedFrom: null,
    quote,
    quoteNumber: 1,
    quoteExpiresAt: new Date(quote.validUntil),
  } as unknown as Transaction
}

/** What paying comes to now: the gain against the middle of the market, the fees of it, and how the two prices compare. */
function payFor(ctx: Ctx, order: Transaction, { paid, isUnlimited }: Attack, mid: number, now: Date) {
  const position: FundsPosition = {
    status: order.status,
    details: null,
    expected: order.from.asset.id,
    agreed: order.expectedFrom,
    free: [{ depositId: 1n, asset: order.from.asset.id, amount: paid }],
    exchanged: 0n,
    isLost: false,
    payouts: { open: false, paid: false, returned: false, failed: false },
    refunds: { open: false, addressNeeded: false, failed: false, paid: false },
  }
  const arrival = { method: order.depositMethod, arrivedAt: now, finalAt: now }
  const own = limitsAsAgreed(ctx, { transaction: order, partner, position, arrival })
  const limits = { ...own, most: paid, ...(isUnlimited ? { covered: paid } : {}) }
  const { exchange } = decide(position, limits)
  const price = (quote: Transaction['quote']): number => Number(quote.price.numerator) / Number(quote.price.denominator)
  const present = limits.repriced(paid)?.transaction.quote
  const isOldBetter = present !== undefined && price(order.quote) > price(present)
  const share = 1 - order.quote.fees.reduce((sum, { basisPoints }) => sum + basisPoints, 0) / 10_000
  const isBetterAfterFees = price(order.quote) * 100 * share > mid
  if (!exchange) return { gain: 0, fees: 0, isOldBetter: false, isBetterAfterFees: false }
  const { quote, expectedTo } = exchangeAt(order, exchange, limits).transaction
  const fees = quote.fees.reduce((sum, { amount }) => sum + unitsIn(amount, quote.from), 0n)
  return {
    gain: Number(expectedTo) - (Number(exchange.amount) * mid) / 1e8,
    fees: (Number(fees) * mid) / 1e8,
    isOldBetter,
    isBetterAfterFees,
  }
}
