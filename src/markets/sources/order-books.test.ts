import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import { test, type TestContext } from 'node:test'

import fc from 'fast-check'

import type { JsonServer } from '../../../test/support/json-server.ts'
import { until } from '../../../test/support/telling.ts'
import type { VenueBooks } from '../../../test/support/venues/books.ts'
import { startKraken } from '../../../test/support/venues/kraken.ts'
import { startBinance, startBitstamp, startCoinbase } from '../../../test/support/venues/others.ts'
import { systemClock } from '../../platform/lib/clock.ts'
import { silentLog } from '../../platform/lib/log.ts'
import { openCcxt } from '../ccxt/process.ts'
import { compareDecimals } from '../decimal.ts'
import { orderBookSource, readLevels } from './order-books.ts'
import type { Reading } from './price-source.ts'

const exchanges = { kraken: startKraken, coinbase: startCoinbase, bitstamp: startBitstamp, binance: startBinance }

const sound = (): VenueBooks[string] => ({
  bids: [
    ['9999.9', '1.5'],
    ['89000.1', '0.25'],
  ],
  asks: [
    ['100000.2', '3'],
    ['89010.2', '0.5'],
  ],
})

type Scene = { books: VenueBooks; server: JsonServer; readings: Reading[]; last(): Reading | undefined }

/** One exchange as a source, asked every 50 ms. */
async function openScene(t: TestContext, exchange: keyof typeof exchanges): Promise<Scene> {
  const books: VenueBooks = { 'BTC/EUR': sound() }
  const server = await exchanges[exchange](t, books)
  const ccxt = openCcxt({ log: silentLog, timeoutMs: 3_000, restMs: 0 })
  const entry = { kind: 'ccxt', name: exchange, exchange, pairs: ['BTC/EUR'], every: 'PT0.05S' } as const
  const venue = ccxt.venue(exchange, { exchange, urls: { api: server.url } })
  const source = orderBookSource(entry, venue, new Map(), { clock: systemClock(), log: silentLog })
  const readings: Reading[] = []
  const running = source.start((found) => readings.push(...found.values()))
  t.after(async () => {
    running.stop()
    await ccxt.stop()
  })
  return { books, server, readings, last: () => readings.at(-1) }
}

const isPriced = (reading: Reading | undefined, bid = '89000.1'): boolean =>
  reading !== undefined && 'bid' in reading && reading.bid === bid && reading.ask === '89010.2'

/** What a server sends instead of an order book. */
const misbehavior: Record<string, (response: ServerResponse) => unknown> = {
  'drops the connection': (response) => response.destroy(),
  'limits requests': (response) => response.writeHead(429, { 'retry-after': '1' }).end('{}'),
  'answers a page': (response) => response.end('<html>maintenance</html>'),
  'stops in the middle': (response) => response.end('{"error":[],"result":{"XXBTZEUR":{"asks":[["8'),
  'says nothing': () => undefined,
  fails: (response) => response.writeHead(502).end(),
}

for (const exchange of ['kraken', 'coinbase', 'bitstamp', 'binance'] as const) {
  test(`${exchange}: prices are read exactly, and no misbehavior yields a wrong one`, async (t) => {
    const scene = await openScene(t, exchange)
    const { books, server, readings } = scene
    await until(() => isPriced(scene.last()), 'the first price')

    for (const [what, misbehave] of Object.entries(misbehavior)) {
      server.misbehave = misbehave
      const asked = server.seen.length
      await until(() => server.seen.length > asked + 1, `${exchange} to be asked while it ${what}`)
      server.misbehave = undefined
      const before = readings.length
      await until(() => readings.length > before && isPriced(scene.last()), `${exchange} to recover after it ${what}`)
    }
    for (const level of [
      ['NaN', '1'],
      ['-5', '1'],
      ['0', '1'],
    ] as [string, string][]) {
      books['BTC/EUR'] = { ...sound(), bids: [level] }
      const asked = server.seen.length
      await until(() => server.seen.length > asked + 2, `${exchange} to be asked for ${level[0]}`)
    }
    books['BTC/EUR'] = { ...sound(), bids: [] }
    await until(() => JSON.stringify(scene.last()) === '{"unreadable":"thin"}', 'an empty side')
    books['BTC/EUR'] = { ...sound(), bids: [['89001.5', '2']] }
    await until(() => isPriced(scene.last(), '89001.5'), 'the next price')
    for (const reading of readings)
      if ('bid' in reading) assert.ok(['89000.1', '89001.5'].includes(reading.bid), reading.bid)
  })
}

test('the price of an amount is what all levels that it takes would pay', () => {
  const book = {
    bids: [
      ['100', '1'],
      ['99', '10'],
    ] as [string, string][],
    asks: [
      ['101', '1'],
      ['102', '10'],
    ] as [string, string][],
  }
  const priceOf = (amount: string | undefined) => readLevels(book, amount, 0)
  assert.deepEqual(priceOf(undefined), { bid: '100', ask: '101', receivedAt: 0, at: undefined })
  assert.deepEqual(priceOf('100'), { bid: '100', ask: '101', receivedAt: 0, at: undefined })
  // 199 are one at 100 and one at 99: two for 199. Asked: one at 101, and 98 / 102 of the next.
  assert.deepEqual(priceOf('199'), { bid: '99.5', ask: '101.49', receivedAt: 0, at: undefined })
  assert.deepEqual(priceOf('5000'), { unreadable: 'thin' })
})

test('a greater amount never has a better price, and bid and ask never cross', () => {
  const size = fc.integer({ min: 1, max: 1_000 }).map(String)
  const side = fc.array(size, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(
      side,
      side,
      fc.integer({ min: 1, max: 100_000 }),
      fc.integer({ min: 0, max: 100_000 }),
      (b, a, one, more) => {
        const bids = b.map((amount, index): [string, string] => [`${1_000 - index}`, amount])
        const asks = a.map((amount, index): [string, string] => [`${1_001 + index}`, amount])
        const [small, large] = [one, one + more].map((amount) => readLevels({ bids, asks }, `${amount}`, 0))
        assert.ok(small && large)
        if (!('bid' in small)) assert.ok(!('bid' in large), 'what is too much stays too much')
        if (!('bid' in small) || !('bid' in large)) return
        assert.ok(compareDecimals(large.bid, small.bid) <= 0 && compareDecimals(large.ask, small.ask) >= 0)
        assert.ok(compareDecimals(large.bid, large.ask) < 0)
      },
    ),
  )
})
