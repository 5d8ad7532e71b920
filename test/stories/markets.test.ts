import assert from 'node:assert/strict'
import { test, type TestContext } from 'node:test'

import { metricsOf } from '../../src/app/metrics.ts'
import { buildAdmin } from '../../src/doors/api/admin.ts'
import { configFile } from '../support/config-file.ts'
import { type Desk, startDesk } from '../support/desk.ts'
import { startExchange, type Exchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { promised } from '../support/promised.ts'

const start = { 'BTC/EUR': 8_900_000n, 'ETH/EUR': 300_000n, 'BTC/USD': 9_790_000n, 'EUR/USD': 110n }

type Scene = { exchange: Exchange; desks: [Desk, Desk, Desk] }

/** An exchange whose prices come from three desks, of which two must agree; on a busy machine all in time, too. */
async function openScene(t: TestContext, markets: object = {}): Promise<Scene> {
  const desks: Scene['desks'] = [await startDesk(t, start), await startDesk(t, start), await startDesk(t, start)]
  const sources = desks.map(({ url }, index) => ({
    kind: 'http-json',
    name: `desk-${index + 1}`,
    url: `${url}/books`,
    every: 'PT0.1S',
  }))
  const settings = { minimum_sources: 2, max_age: 'PT5S', tolerance: '2%', ...markets, sources }
  const exchange = await startExchange({ CONFIG_FILE: configFile(t, { markets: settings }), RATE_LIMITS: 'off' })
  t.after(() => exchange.stop())
  return { exchange, desks }
}

/** What 1,000 euros buy, in satoshi; undefined while the pair is closed. */
async function bought({ exchange }: Scene, query = 'from_currency=EUR&to_currency=BTC'): Promise<number | undefined> {
  const { status, body } = await exchange.api<{ value: string; code: string }>(`/v1/estimate?${query}&from_amount=1000`)
  if (status === 200) return Math.round(Number(body.value) * 1e8)
  assert.equal(body.code, 'PAIR_NOT_AVAILABLE', JSON.stringify(body))
  return undefined
}

/** A line of the metrics. */
async function metric({ exchange }: Scene, line: string): Promise<number | undefined> {
  const app = buildAdmin(exchange.service.composition.ctx, { gauges: metricsOf(exchange.service.composition.ctx) })
  const { payload } = await app.inject('/metrics')
  await app.close()
  const found = payload.split('\n').find((one) => one.startsWith(`${line} `))
  return found === undefined ? undefined : Number(found.split(' ')[1])
}

test('prices follow the median of three desks within 250 ms', async (t) => {
  const scene = await openScene(t)
  const first = await bought(scene)
  assert.ok(first)

  const delays: number[] = []
  for (const percent of [101n, 99n, 102n, 100n]) {
    const before = await bought(scene)
    for (const desk of scene.desks) desk.prices['BTC/EUR'] = (start['BTC/EUR'] * percent) / 100n
    const begun = performance.now()
    await until(async () => (await bought(scene)) !== before, 'a new price')
    delays.push(Math.round(performance.now() - begun))
    const expected = (first * 100) / Number(percent)
    await until(async () => Math.abs(((await bought(scene)) ?? 0) - expected) / expected < 0.0005, 'the whole move')
  }
  t.diagnostic(`a new price was in the estimate after ${delays.join(', ')} ms, of which up to 100 were the poll`)
  assert.ok(Math.min(...delays) < promised(250))
})

const faults: [what: string, spoil: (desk: Desk) => void, why: string][] = [
  ['5 percent too high', (desk) => (desk.prices['BTC/EUR'] = 9_345_000n), 'outlier'],
  ['1,000 times too high', (desk) => (desk.prices['BTC/EUR'] = 8_900_000_000n), 'outlier'],
  ['frozen', (desk) => (desk.edit = (book) => ({ ...book, at: '2026-01-01T00:00:00Z' })), 'stale'],
  ['malformed', (desk) => (desk.edit = (book) => ({ ...book, bid: 'NaN' })), 'malformed'],
  ['giving more than it asks', (desk) => (desk.edit = (book) => ({ ...book, bid: '90000' })), 'crossed'],
  [
    'an hour ahead',
    (desk) => (desk.edit = (book) => ({ ...book, at: new Date(Date.now() + 3_600_000) })),
    'clock_ahead',
  ],
  ['answering something else', (desk) => (desk.misbehave = (response) => response.end('<html>')), 'stale'],
  ['never done with its answer', (desk) => (desk.misbehave = (response) => response.write('{')), 'stale'],
  [
    'too busy',
    (desk) => (desk.misbehave = (response) => response.writeHead(429, { 'retry-after': '60' }).end()),
    'stale',
  ],
]

test('a desk that misbehaves changes no quote, is left out with a reason, and raises a metric', async (t) => {
  const scene = await openScene(t)
  const { ctx } = scene.exchange.service.composition
  const desk = scene.desks[2]
  const before = await bought(scene)
  assert.ok(before)
  for (const [what, spoil, why] of faults) {
    spoil(desk)
    const status = () => {
      const pair = ctx.markets.pairs(ctx.clock.now()).find((one) => one.pair === 'BTC/EUR')
      return pair?.sources.find(({ name }) => name === 'desk-3')
    }
    await until(async () => {
      assert.equal(await bought(scene), before, `${what} changes nothing`)
      return status()?.why === why
    }, `${what} to be ${why}`)
    const isUp = await metric(scene, 'cambio_market_source_up{source="desk-3"}')
    const deviation = await metric(scene, 'cambio_market_source_deviation_ratio{source="desk-3",pair="BTC/EUR"}')
    if (why === 'outlier') assert.ok((deviation ?? 0) > 0.04, `${what}: ${deviation}`)
    else if (what.startsWith('giving')) assert.equal(isUp, 1, 'its other pairs are sound')
    else assert.equal(isUp, 0, what)
    Object.assign(desk, { edit: undefined, misbehave: undefined, prices: { ...start } })
    // It is asked again in a minute, as it wished.
    if (what === 'too busy') break
    await until(() => status()?.used === true, `the desk that was ${what} to be used again`)
  }
})

test('with two desks gone every pair closes everywhere at once, status says so, and all comes back by itself', async (t) => {
  const scene = await openScene(t)
  const { exchange, desks } = scene
  assert.ok(await bought(scene))
  const { id } = await create(exchange, { from_amount: '1000' })
  await Promise.all([desks[0].stop(), desks[2].stop()])
  await until(async () => (await bought(scene)) === undefined, 'the pair to close')

  const range = await exchange.api<{ code: string }>('/v1/market-info/min-max-range/eur_btc')
  assert.deepEqual([range.status, range.body.code], [400, 'PAIR_NOT_AVAILABLE'])
  const body = { from_amount: '1000', from_currency: 'EUR', to_currency: 'BTC' }
  const made = await exchange.api<{ code: string }>('/v1/transaction', { body })
  assert.deepEqual([made.status, made.body.code], [400, 'PAIR_NOT_AVAILABLE'])
  const health = await exchange.api<{ healthy: boolean }>('/v1/transaction/health', { body })
  assert.equal(health.body.healthy, false)
  const currencies = await exchange.api('/v1/currencies')
  const listed = Object.values(currencies.body).flat() as { ticker: string; is_available: boolean }[]
  assert.deepEqual(
    listed.filter((one) => one.is_available).map(({ ticker }) => ticker),
    [],
  )
  await until(async () => (await exchange.api('/v1/status')).status === 503, 'the status')
  const status = await exchange.api<{ errors: { path: string }[] }>('/v1/status')
  assert.deepEqual(
    status.body.errors.map(({ path }) => path),
    ['rates'],
  )
  assert.equal(await metric(scene, 'cambio_market_pairs{state="stale"}'), 4)

  const record = await exchange.api<{ status: string }>(`/v1/transaction/${id}`)
  assert.equal(record.status, 200, 'what was agreed stays')
  await Promise.all([desks[0].start(), desks[2].start()])
  await until(async () => (await bought(scene)) !== undefined, 'the pair to open')
  await until(async () => (await exchange.api('/v1/status')).status === 200, 'the status')
})

test('a jump of all desks halts the pair, and leaves the others', async (t) => {
  const scene = await openScene(t)
  assert.ok(await bought(scene))
  for (const desk of scene.desks) desk.prices['BTC/EUR'] = 10_200_000n
  await until(async () => (await bought(scene)) === undefined, 'the halt')
  assert.ok(await bought(scene, 'from_currency=EUR&to_currency=ETH'))
  const { ctx } = scene.exchange.service.composition
  const pair = ctx.markets.pairs(ctx.clock.now()).find((one) => one.pair === 'BTC/EUR')
  assert.equal(pair?.state, 'halted')
})
