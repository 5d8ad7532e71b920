import assert from 'node:assert/strict'
import { test } from 'node:test'

import { marketPrice, someTime } from '../../test/support/arbitrary-terms.ts'
import { after } from '../lib/clock.ts'
import type { MarketSource } from '../money/market.ts'
import { freshPrice } from './market.ts'

const price = marketPrice('BTC', 9n, 10n, someTime)
const market: MarketSource = { name: 'test', reference: 'EUR', pricesAt: () => new Map([['BTC', price]]) }
const moment = (ms: number) => ({ market, now: after(someTime, ms), maxPriceAgeSeconds: 60 })

test('a price that is too old sells nothing', () => {
  assert.equal(freshPrice(moment(0), 'BTC'), price)
  assert.equal(freshPrice(moment(60_000), 'BTC'), price)
  assert.equal(freshPrice(moment(60_001), 'BTC'), undefined)
})

test('a ticker that the market does not know has no price', () => {
  assert.equal(freshPrice(moment(0), 'ETH'), undefined)
})
