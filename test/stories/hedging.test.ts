import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { held } from '../../src/exchange/ledger/account.ts'
import { exposures } from '../../src/exchange/treasury/exposure.ts'
import { approveHedge, cancelHedge, listHedges, resolveHedge } from '../../src/exchange/treasury/decide-hedge.ts'
import { createOperator, type Operator, operatorSubject } from '../../src/exchange/operators/operator.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { proposeHedges } from '../../src/exchange/treasury/propose-hedges.ts'
import { unplacedHedges } from '../../src/exchange/treasury/unplaced-hedges.ts'
import type { Hedge } from '../../src/exchange/treasury/hedge.ts'
import type { HedgingSettings } from '../../src/exchange/settings.ts'
import { exactOf } from '../../src/exchange/treasury/decimals.ts'
import type { Exchange } from '../support/exchange.ts'
import { hedgingSettings, startHedgedExchange, venuePlace } from '../support/hedged-exchange.ts'
import { assertBooksHold, bookBalance, buy, lookup } from '../support/journey.ts'
import { assertProfitAddsUp, sumOf } from '../support/profit.ts'
import type { StillMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'
import type { FakeVenue } from '../support/venues/fake-venue.ts'

let exchange: Exchange
let market: StillMarket
let fake: FakeVenue
const people: Operator[] = []
let stop: () => Promise<void>

before(async () => {
  ;({ exchange, market, fake, stop } = await startHedgedExchange())
  const { ctx } = exchange.service.composition
  for (const name of ['ann', 'bob']) {
    people.push(await createOperator(ctx, { email: `${name}@example.com`, password: 'correct horse battery' }, 'test'))
  }
})
after(() => stop())

const ctx = () => exchange.service.composition.ctx
const someone = (at: number) => ({ actor: operatorSubject(people[at] ?? assert.fail('nobody')) })
const configure = (change: Partial<HedgingSettings>): void => {
  ctx().config.hedging = { ...hedgingSettings, ...change }
}
const exposure = async (): Promise<bigint> =>
  (await exposures(ctx())).find(({ currency }) => currency === 'BTC')?.amount ?? 0n
const newest = async (): Promise<Hedge> => (await listHedges(ctx(), false))[0] ?? assert.fail('no hedge')

/** Proposes hedges, and waits until none is open. Gives the newest. */
async function hedged(): Promise<Hedge> {
  await proposeHedges(ctx())
  await until(async () => (await listHedges(ctx(), true)).length === 0, 'every hedge to end')
  return newest()
}

/** The venue's records, our books and the profit and loss agree, and each order arrived once. */
async function assertAllAgree(): Promise<void> {
  const { core } = fake
  assert.equal(new Set(core.received).size, core.received.length)
  const bought = (core.balances.get('BTC') ?? 0n) / 10n ** 10n
  assert.equal(await bookBalance(exchange, held(venuePlace), 'BTC-BTC'), 10_00000000n + bought)
  const cents = await bookBalance(exchange, held(venuePlace), 'EUR-EUR')
  const exact = exactOf('10000000') + (core.balances.get('EUR') ?? 0n)
  const trades = [...core.orders.values()].flatMap((order) => order.trades).length
  const apart = exact / 10n ** 16n - cents
  assert.ok(apart >= 0n && apart <= BigInt(2 * trades), `the books say ${cents}, the venue ${exact}`)
  await assertProfitAddsUp(ctx(), exchange.ownerUrl)
  await assertBooksHold(exchange)
}

describe('a hedge', () => {
  it('buys what customers bought, once, and its cost shows in the profit and loss', async () => {
    await buy(exchange, { from_amount: '500' })
    const was = await exposure()
    assert.ok(was < -exactOf('0.004'), `${was}`)
    const before = sumOf(await assertProfitAddsUp(ctx(), exchange.ownerUrl), 'hedging')
    const { state, side, amount, filled } = await hedged()
    assert.deepEqual([state, side, amount], ['filled', 'buy', filled])
    assert.ok((await exposure()) > -exactOf('0.0001'), 'the rest is smaller than a lot')
    const rows = await assertProfitAddsUp(ctx(), exchange.ownerUrl)
    assert.ok(sumOf(rows, 'hedging') < before)
    assert.deepEqual(
      rows.filter(({ hedging }) => hedging !== 0n).map(({ asset }) => asset),
      ['BTC-BTC'],
    )
    assert.deepEqual(await proposeHedges(ctx()), [])
    await assertAllAgree()
  })

  it('sells what customers sold', async () => {
    await buy(exchange, { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' })
    const { state, side } = await hedged()
    assert.deepEqual([state, side], ['filled', 'sell'])
    await assertAllAgree()
  })

  for (const [behavior, ends, arrivals] of [
    ['lost', 'filled', 1],
    ['twice', 'filled', 1],
    ['slow', 'filled', 1],
    ['late_trades', 'filled', 1],
    ['half', 'canceled', 1],
    ['nothing', 'canceled', 1],
    ['reject', 'rejected', 1],
    ['hidden', 'filled', 1],
  ] as const) {
    it(`at a venue that answers "${behavior}" ends ${ends}, and the order arrives once`, async () => {
      await buy(exchange, { from_amount: '300' })
      fake.core.next = [behavior]
      const arrived = fake.core.received.length
      const hedge = await hedged()
      assert.equal(hedge.state, ends)
      assert.equal(fake.core.received.length, arrived + arrivals)
      if (ends !== 'filled') {
        await hedged()
        assert.ok((await exposure()) > -exactOf('0.0005'), 'the rest is hedged by another order')
      }
      await assertAllAgree()
    })
  }

  it('that never arrived stays unknown, blocks its pair, and ends by a person only', async () => {
    await buy(exchange, { from_amount: '300' })
    fake.core.next = ['never_arrived']
    const arrived = fake.core.received.length
    const [id] = await proposeHedges(ctx())
    assert.ok(id)
    await until(async () => (await newest()).state === 'unknown', 'the hedge to be unknown')
    assert.deepEqual(await proposeHedges(ctx()), [])
    const order = { reason: 'not in the list of orders of the venue', actor: 'test' }
    await assert.rejects(resolveHedge(ctx(), id, order), { code: 'CONFLICT' })
    await lookup(exchange, `update hedges set sent_at = sent_at - interval '1 hour' where id = ${id}`)
    await resolveHedge(ctx(), id, order)
    assert.deepEqual([(await newest()).state, (await newest()).outcome], ['canceled', order.reason])
    assert.equal(fake.core.received.length, arrived)
    assert.equal((await hedged()).state, 'filled')
    await assertAllAgree()
  })

  for (const [scope, name] of [
    ['all', ''],
    ['asset', 'BTC-BTC'],
  ]) {
    it(`is not sent under a halt of ${scope} ${name}`.trimEnd(), async () => {
      await buy(exchange, { from_amount: '300' })
      await lookup(
        exchange,
        `insert into halts (scope, name, since, reason, halted_by) values ('${scope}', '${name}', now(), 'test', 'test')`,
      )
      const arrived = fake.core.received.length
      await proposeHedges(ctx())
      await until(
        async () =>
          (await lookup(exchange, "select 1 from jobs where kind = 'hedge.due' and run_at > now() + interval '2 s'"))
            .length > 0,
        'the job to be put off',
      )
      assert.deepEqual([(await newest()).state, fake.core.received.length], ['approved', arrived])
      await lookup(exchange, "delete from halts; update jobs set run_at = now() where kind = 'hedge.due'")
      await ctx().halts.refresh(ctx().db)
      ctx().queue.wake()
      assert.equal((await hedged()).state, 'filled')
    })
  }

  it('waits for approval in the mode propose, and expires', async () => {
    configure({ isAutomatic: false })
    await buy(exchange, { from_amount: '300' })
    const [id] = await proposeHedges(ctx())
    assert.ok(id)
    assert.equal((await newest()).state, 'proposed')
    assert.equal((await approveHedge(ctx(), id, someone(0))).isApproved, true)
    await assert.rejects(approveHedge(ctx(), id, someone(0)), { code: 'CONFLICT' })
    assert.equal((await hedged()).state, 'filled')

    await buy(exchange, { from_amount: '300' })
    const [other] = await proposeHedges(ctx())
    assert.ok(other)
    await cancelHedge(ctx(), other, { reason: 'not now', actor: 'operator:1' })
    assert.equal((await newest()).state, 'canceled')
    const [third] = await proposeHedges(ctx())
    assert.ok(third)
    await lookup(exchange, `update hedges set proposed_at = proposed_at - interval '16 minutes' where id = ${third}`)
    const [fourth] = await proposeHedges(ctx())
    assert.ok(fourth && fourth !== third)
    assert.equal(
      (await listHedges(ctx(), false)).find(({ id: one }) => one === third)?.outcome,
      'It was not approved in time.',
    )
    await cancelHedge(ctx(), fourth, { reason: 'the test ends', actor: 'operator:1' })
    configure({})
  })

  it('is not sent because a row says that it is approved, and verify names it', async () => {
    configure({ isAutomatic: false })
    await buy(exchange, { from_amount: '300' })
    const [id] = await proposeHedges(ctx())
    assert.ok(id)
    await lookup(exchange, `update hedges set state = 'approved' where id = ${id}`)
    await lookup(
      exchange,
      `insert into jobs (kind, key, timebase, run_at) values ('hedge.due', '${id}', 'real', now())`,
    )
    ctx().queue.wake()
    const jobs = () => lookup(exchange, `select 1 from jobs where kind = 'hedge.due' and key = '${id}'`)
    await until(async () => (await jobs()).length === 0, 'the job to end')
    assert.equal((await newest()).sent_at, null)
    assert.match((await verify(ctx())).join('\n'), new RegExp(`Hedge ${id} is approved, and nobody approved it`))
    await cancelHedge(ctx(), id, { reason: 'the test ends', actor: 'operator:1' })
    configure({})
  })

  it('needs two different people where the environment demands them', async () => {
    configure({ isAutomatic: false })
    const { environment } = ctx().config
    ctx().config.environment = { ...environment, twoOperators: true }
    const [id] = await proposeHedges(ctx())
    assert.ok(id)
    assert.deepEqual(await approveHedge(ctx(), id, someone(0)), { id, approvals: 1, needed: 2, isApproved: false })
    await assert.rejects(approveHedge(ctx(), id, someone(0)), { code: 'CONFLICT' })
    assert.equal((await approveHedge(ctx(), id, someone(1))).isApproved, true)
    ctx().config.environment = environment
    assert.equal((await hedged()).state, 'filled')
    configure({})
  })

  it('is never larger than the cap of an order, and waits for approval beyond the cap of a day', async () => {
    await buy(exchange, { from_amount: '900' })
    configure({ capPerOrder: 20_000n })
    const first = await hedged()
    assert.ok(first.worth <= 20_000n && first.worth > 15_000n, `${first.worth}`)
    configure({ capPerOrder: 20_000n, capPerDay: 1n })
    await proposeHedges(ctx())
    const second = await newest()
    assert.equal(second.state, 'proposed')
    assert.match(second.reason, /beyond the cap of a day/)
    // What it would hedge stays open until somebody approves it.
    assert.ok((await unplacedHedges(ctx())).some(({ cause, amount }) => cause === 'capped' && amount > 0n))
    await cancelHedge(ctx(), second.id, { reason: 'the test ends', actor: 'operator:1' })
    configure({})
    await hedged()
    await assertAllAgree()
  })

  it('is not doubled by two processes that look at the same exposure', async () => {
    await buy(exchange, { from_amount: '300' })
    const made = (await Promise.all(Array.from({ length: 6 }, () => proposeHedges(ctx())))).flat()
    assert.equal(made.length, 1)
    await hedged()
    await assertAllAgree()
  })

  it('does not sell or spend what the venue does not hold', async () => {
    configure({ venue: 'venue-empty' })
    await buy(exchange, { from_amount: '300' })
    assert.deepEqual(await proposeHedges(ctx()), [])
    configure({})
    market.setPrice('BTC', 900n)
    assert.equal((await hedged()).state, 'filled')
    await assertAllAgree()
  })
})
