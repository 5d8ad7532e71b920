import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { treasuryGauges } from '../../src/app/treasury-metrics.ts'
import { examine } from '../../src/exchange/checks/doctor.ts'
import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import type { HedgingSettings } from '../../src/exchange/settings.ts'
import { approveHedge, listHedges, resolveHedge } from '../../src/exchange/treasury/decide-hedge.ts'
import { proposeHedges } from '../../src/exchange/treasury/propose-hedges.ts'
import { type HedgedExchange, hedgingSettings, startHedgedExchange } from '../support/hedged-exchange.ts'
import { buy, lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let hedged: HedgedExchange
before(async () => {
  hedged = await startHedgedExchange()
})
after(() => hedged.stop())

const ctx = () => hedged.exchange.service.composition.ctx
const configure = (change: Partial<HedgingSettings>): void => {
  ctx().config.hedging = { ...hedgingSettings, ...change }
}
/** Proposes hedges, and waits until each that may be sent has ended, or may have traded. */
async function look(): Promise<void> {
  await proposeHedges(ctx())
  const going = async () =>
    (await listHedges(ctx(), true)).filter(({ state }) => state !== 'proposed' && state !== 'unknown')
  await until(async () => (await going()).length === 0, 'the hedges to end')
}

type Shown = { metrics: [name: string, cause: string, value: number][]; said: string[]; needs: string[] }

/** What the metrics, the report and the list of needs say of hedges. */
async function shown(): Promise<Shown> {
  const gauges = treasuryGauges(ctx()).filter(({ name }) => name.startsWith('hedges_unplaced'))
  const metrics: Shown['metrics'] = []
  for (const { name, read } of gauges)
    metrics.push(
      ...(await read()).map(({ labels, value }): Shown['metrics'][number] => [name, String(labels[1]), value]),
    )
  const checks = (await examine(ctx())).filter(({ check }) => check.startsWith('hedge'))
  const needs = (await listNeeds(ctx())).filter(({ kind, cause }) => kind === 'hedge' || cause === 'hedge')
  return {
    metrics,
    said: checks.filter(({ state }) => state !== 'ok').map(({ message }) => message),
    needs: needs.map(({ kind, cause, stakeEurCents }) => `${kind} ${cause} ${(stakeEurCents ?? 0n) / 10_000n}`),
  }
}

/** That 300 EUR are open for a cause, everywhere, and no longer once it is over. */
async function assertOpen(cause: string, why: RegExp, need: string): Promise<void> {
  const { metrics, said, needs } = await shown()
  assert.deepEqual(
    metrics.map(([name, of]) => [name, of]),
    [
      ['hedges_unplaced', cause],
      ['hedges_unplaced_eur', cause],
    ],
  )
  const [units = 0, euros = 0] = metrics.map(([, , value]) => value)
  assert.ok(units > 0.0005 && units < 1 && euros > 250 && euros < 320, `${units} BTC, ${euros} EUR`)
  const [first = ''] = said
  assert.match(first, /^0\.00\d+ BTC, worth (2[5-9]\d|3[01]\d)\.\d\d EUR, are exposed and cannot be hedged: /)
  assert.match(first, why)
  assert.ok(first.includes(euros.toFixed(2)), first)
  assert.deepEqual(needs, [need])
}

async function assertOver(): Promise<void> {
  configure({})
  await until(async () => {
    await look()
    return (await shown()).metrics.length === 0
  }, 'it to be hedged')
  assert.deepEqual(await shown(), { metrics: [], said: [], needs: [] })
}

describe('exposure that cannot be hedged is in the metrics, the report and the list of needs, in EUR, for as long as it lasts:', () => {
  it('where the book of the venue is empty', async () => {
    await buy(hedged.exchange, { from_amount: '300' })
    hedged.fake.core.usual = () => 'nothing'
    await look()
    await assertOpen('unfilled', /nobody trades at our price at venue-1$/, 'hedge unfilled 2')
    hedged.fake.core.usual = () => 'fill'
    await assertOver()
  })

  it('where the cap of one order is less than the least that can be traded', async () => {
    await buy(hedged.exchange, { from_amount: '300' })
    configure({ capPerOrder: 100n })
    await look()
    await assertOpen('capped', /the caps of CONFIG_FILE allow no more at venue-1$/, 'hedge capped 2')
    await assertOver()
  })

  it('where the cap of a day is reached, until it is approved', async () => {
    await buy(hedged.exchange, { from_amount: '300' })
    configure({ capPerDay: 1n })
    await look()
    await assertOpen('capped', /the caps of CONFIG_FILE allow no more at venue-1$/, 'approval hedge 2')
    const [proposed] = await listHedges(ctx(), true)
    await approveHedge(ctx(), proposed?.id ?? 0n, { actor: 'cli:ann' })
    await assertOver()
  })

  it('where the venue is silent, until a person says what became of the order', async () => {
    await buy(hedged.exchange, { from_amount: '300' })
    hedged.fake.core.next = ['never_arrived']
    await look()
    await assertOpen('unknown', /an order of ours may have traded or not at venue-1$/, 'hedge unknown 2')
    const [unknown] = await listHedges(ctx(), true)
    await lookup(hedged.exchange, "update hedges set sent_at = sent_at - interval '1 hour' where state = 'unknown'")
    await resolveHedge(ctx(), unknown?.id ?? 0n, { reason: 'not in its list of orders', actor: 'test' })
    await assertOver()
  })

  it('where the venue refuses the order', async () => {
    await buy(hedged.exchange, { from_amount: '300' })
    hedged.fake.core.usual = () => 'reject'
    await look()
    await assertOpen('refused', /the venue refuses it: venue-1 says “EOrder:Insufficient funds”$/, 'hedge refused 2')
    hedged.fake.core.usual = () => 'fill'
    await assertOver()
  })

  it('where too little money is at the venue', async () => {
    await buy(hedged.exchange, { from_amount: '300' })
    configure({ venue: 'venue-empty' })
    await look()
    await assertOpen('short', /there is too little money at venue-empty \(EUR\)$/, 'hedge short 2')
    await assertOver()
  })

  it('where there is no price, by the latest one that was known', async () => {
    const { market } = hedged
    await buy(hedged.exchange, { from_amount: '300' })
    const { booksAt } = market
    Object.assign(market, {
      booksAt: (at: Date) =>
        booksAt(at).map((book) => (book && [book.market.base, book.market.quote].includes('BTC') ? undefined : book)),
    })
    await look()
    const { metrics, said, needs } = await shown()
    const [first, ...others] = metrics
    assert.deepEqual(first?.slice(0, 2), ['hedges_unplaced', 'unpriced'])
    assert.ok((first?.[2] ?? 0) > 0.0005 && others.length < 2)
    assert.match(
      said.join(),
      /^0\.00\d+ BTC,? .*are exposed and cannot be hedged: there is no price that is young enough for BTC\/EUR$/,
    )
    assert.deepEqual(needs, ['hedge unpriced 0'])
    Object.assign(market, { booksAt })
    await assertOver()
  })
})
