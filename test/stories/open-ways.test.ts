import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'

import fc from 'fast-check'

import { resolve } from '../../src/exchange/availability/resolve.ts'
import type { ExchangeRequest } from '../../src/exchange/availability/request.ts'
import { type Listing, listingById, listings } from '../../src/reference/catalog/asset.ts'
import { sideOf } from '../../src/reference/catalog/currency.ts'
import type { Side } from '../../src/reference/catalog/payment-method.ts'
import { momentOf, termsOfPartner } from '../../src/exchange/transactions/policy.ts'
import {
  type Account,
  anyAccount,
  anyAsset,
  anyCountry,
  anyMarket,
  anyMethod,
  categoryOf,
  drawn,
  openWorld,
  type World,
} from '../support/any-account.ts'
import type { TestApi } from '../support/api.ts'
import { type CurrencyRow, openWays } from '../support/same-question.ts'

let world: World
let api: TestApi
before(async () => {
  world = await openWorld()
  api = world.api
})
after(() => api.close())

/** What the resolver itself says of two assets by two methods on an account's terms, whatever the amount. */
const isOpen = ({ partner }: Account, source: Listing, target: Listing, more: Partial<ExchangeRequest>): boolean =>
  resolve(momentOf(api.ctx, api.ctx.clock.now()), termsOfPartner(partner), {
    fromCurrency: source.asset.ticker,
    fromNetwork: source.asset.network,
    toCurrency: target.asset.ticker,
    toNetwork: target.asset.network,
    ...more,
  }).available

const typesOf = ({ network }: Listing, category?: string) =>
  network.paymentMethods.filter((method) => (category ?? method.category) === method.category).map(({ type }) => type)

/** Whether anything can be exchanged from (or to) an asset by a category, by any method at the other end. */
const isOpenWay = (
  account: Account,
  listing: Listing,
  way: 'in' | 'out',
  more: { category?: string; country?: string; side?: Side },
) =>
  listings.some((other) => {
    const [source, target] = way === 'in' ? [listing, other] : [other, listing]
    const side = sideOf(source.currency, target.currency)
    if (!side || side !== (more.side ?? side)) return false
    const deposits = typesOf(source, way === 'in' ? more.category : undefined)
    const payouts = typesOf(target, way === 'out' ? more.category : undefined)
    return deposits.some((depositType) =>
      payouts.some((payoutType) => isOpen(account, source, target, { depositType, payoutType, country: more.country })),
    )
  })

test('a way is open in a country exactly where something can be exchanged by it there', async (t) => {
  const seen = { open: 0, closed: 0 }
  const situation = fc.record({
    account: anyAccount,
    market: anyMarket,
    country: anyCountry,
    asset: anyAsset,
    method: anyMethod,
  })
  const property = fc.asyncProperty(situation, async ({ account: number, market, country, asset, method }) => {
    world.nextSecond(market)
    const [account, listing] = [world.accounts[number], listingById(asset.join('-'))]
    assert.ok(account && listing)
    const category = categoryOf(asset, method)
    const rows = await openWays(api, account, country, asset)
    const wanted = rows.find((row) => row.category === category)
    const found = [
      isOpenWay(account, listing, 'in', { category, country }),
      isOpenWay(account, listing, 'out', { category, country }),
    ]
    assert.deepEqual([wanted?.deposit_enabled ?? false, wanted?.withdrawal_enabled ?? false], found)
    seen[wanted ? 'open' : 'closed'] += 1

    const { body } = await api.ask({ url: `/v1/payment-categories/${category}/countries`, key: account.key })
    const there = (body as unknown as { code_iso_alpha_2: string }[]).some((row) => row.code_iso_alpha_2 === country)
    assert.ok(there || !wanted, 'what is open for one currency is open for any')
  })
  const plain = { account: 0, market: 0, country: 'DE', asset: ['EUR', 'EUR'] as const, method: 0 }
  await fc.assert(property, { ...drawn(t, 300), examples: [[plain], [{ ...plain, country: 'KP' }]] })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.open > 0 && seen.closed > 0)
})

const sideNames = ['buy', 'sell', 'swap'] as const

test('a currency is available exactly when something can be exchanged from it or to it', async (t) => {
  const seen = { open: 0, closed: 0 }
  const situation = fc.record({ account: anyAccount, market: anyMarket })
  const property = fc.asyncProperty(situation, async ({ account: number, market }) => {
    world.nextSecond(market)
    const account = world.accounts[number]
    assert.ok(account)
    const { body } = await api.ask({ url: '/v1/currencies', key: account.key })
    const { fiat_currencies: fiat, crypto_currencies: crypto } = body as Record<string, CurrencyRow[]>
    for (const { ticker, is_available: isAvailable, sides } of [...(fiat ?? []), ...(crypto ?? [])]) {
      const homes = listings.filter(({ asset }) => asset.ticker === ticker)
      for (const side of sideNames) {
        const found = homes.some(
          (home) => isOpenWay(account, home, 'in', { side }) || isOpenWay(account, home, 'out', { side }),
        )
        assert.equal(sides[side], found, `${ticker} ${side}`)
      }
      assert.equal(
        isAvailable,
        sideNames.some((side) => sides[side]),
        ticker,
      )
      seen[isAvailable ? 'open' : 'closed'] += 1
    }
  })
  await fc.assert(property, {
    ...drawn(t, 15),
    examples: [0, 1, 2].map((account) => [{ account, market: 4 - account }] as [{ account: number; market: number }]),
  })
  t.diagnostic(JSON.stringify(seen))
  assert.ok(seen.open > 0 && seen.closed > 0)
})
