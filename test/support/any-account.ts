import { randomInt } from 'node:crypto'

import fc from 'fast-check'

import { listingById, listings } from '../../src/reference/catalog/asset.ts'
import { countries } from '../../src/reference/catalog/country.ts'
import { paymentCategories } from '../../src/reference/catalog/payment-category.ts'
import type { MarketSource } from '../../src/markets/source.ts'
import { setPartner } from '../../src/exchange/partners/change.ts'
import { createPartner } from '../../src/exchange/partners/create.ts'
import type { Partner } from '../../src/exchange/partners/partner.ts'
import { featureNames } from '../../src/exchange/partners/settings.ts'
import { recordedMarket } from '../../src/markets/recorded/recorded-market.ts'
import { openTestApi, type TestApi } from './api.ts'
import { narrowMarket } from './moved-market.ts'

/** A partner with any agreement, and its secret key. */
export type Account = { key: string; partner: Partner }

/** An interface with ten accounts, and a market that can be changed. */
export type World = {
  api: TestApi
  accounts: readonly Account[]
  /** Lets the next second of business time begin, in one of `markets`: answers of one second are remembered. */
  nextSecond(market: number): void
}

/** What everything of a run is drawn from. */
const seed = randomInt(2 ** 31)

/** How a property is drawn: with the run's seed, which is told, and for four seconds at most. */
export function drawn(t: { diagnostic(text: string): void }, numRuns: number) {
  t.diagnostic(`seed ${seed}`)
  return { seed, numRuns, interruptAfterTimeLimit: 4_000, includeErrorInReport: true }
}

const anyAgreement = fc.record({
  features: fc.record(Object.fromEntries(featureNames.map((name) => [name, fc.boolean()]))),
  min: fc.constantFrom(null, null, 50, 900, 21_000),
  span: fc.constantFrom(null, null, null, 100, 4_000),
  commission: fc.constantFrom('0', '0.5', '12'),
})

/** The first accounts, whatever is drawn: one may do all, one nothing, and one what few methods do. */
const firstLimits = [{}, { min: 200_000 }, { min: 22_000, max: 26_000 }]

/** Opens an interface. Every other account, beginning with the first, may say where the customer is. */
export async function openWorld(): Promise<World> {
  const api = await openTestApi()
  const accounts: Account[] = []
  for (const { features, min, span, commission } of fc.sample(anyAgreement, { seed, numRuns: 10 })) {
    const number = accounts.length
    const wanted = { name: `Partner ${number}`, features: { ...features, customer_country: number % 2 === 0 } }
    const { partner, secret_key: key } = await createPartner(api.ctx, wanted, 'test')
    const limits = firstLimits[number] ?? { min, max: span === null ? null : (min ?? 0) + span }
    const fees = { commission_percent: commission }
    const texts = { limits: JSON.stringify(limits), fees: JSON.stringify(fees) }
    accounts.push({ key, partner: await setPartner(api.ctx, partner.id, texts, 'test') })
  }
  let second = Date.UTC(2026, 10, 20, 8)
  return {
    api,
    accounts,
    nextSecond: (market) => {
      second += 1000
      const now = new Date(second)
      api.ctx.clock.now = () => now
      api.ctx.market = markets[market] ?? whole
    },
  }
}

const whole = recordedMarket(1)
const tickers = [...new Set(listings.map(({ asset }) => asset.ticker))]
const mostTickers = tickers.filter((_, place) => place % 3 > 0)
const markets: readonly MarketSource[] = [
  whole,
  whole,
  whole,
  narrowMarket(whole, mostTickers),
  narrowMarket(whole, ['EUR', 'USD', 'GBP', 'BTC', 'ETH', 'USDT']),
]

/** The number of a market: the whole one, mostly, or one that knows less. The last one knows six tickers. */
export const anyMarket = fc.nat(markets.length - 1)

/** The number of an account. */
export const anyAccount = fc.nat(9)

/** A ticker on one of its networks; every other one is of a currency that is much asked for. */
export const anyAsset = fc
  .oneof(fc.constantFrom(...listings), fc.constantFrom(...listings.filter(({ currency }) => currency.isFeatured)))
  .map(({ asset }) => [asset.ticker, asset.network] as const)

/** The code of a country. */
export const anyCountry = fc.constantFrom(...countries.map(({ alpha2 }) => alpha2), 'DE', 'GB', 'BR', 'US', 'MX')

/** Stands for a category: the nth that moves the asset, or any, fitting or not, where a number is too large. */
export const anyMethod = fc.nat(15)

/** What such a number stands for. */
export function categoryOf([ticker, network]: readonly [string, string], method: number): string {
  const own = listingById(`${ticker}-${network}`)?.network.paymentMethods ?? []
  const any = paymentCategories[method % paymentCategories.length]?.category ?? 'CASH'
  return (own[method] ?? own[method - 6])?.category ?? any
}
