import assert from 'node:assert/strict'
import { after, before, describe, it, test } from 'node:test'

import { explainPrices } from '../../src/exchange/checks/explain-price.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  create,
  lookup,
  pay,
  read,
  readyToPay,
  type Refused,
} from '../support/journey.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'
import { table } from '../support/table.ts'
import { startTwin } from '../support/twin.ts'

let exchange: Exchange
let market: StillMarket
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

const clockNow = async () => Date.parse((await exchange.api<{ now: string }>('/v1/sandbox/clock')).body.now)

describe('the deadline', () => {
  it('ends a transaction that nobody opened, one in the checkout and one that was not paid, each in its time', async () => {
    const unopened = await create(exchange)
    const { id: opened, redirect_url: checkout } = await create(exchange)
    assert.equal((await fetch(checkout)).status, 200)
    assert.equal((await read(exchange, opened)).status, 'waiting_for_customer')
    await advance(exchange, 'PT10M')
    const unpaid = await readyToPay(exchange)

    const before = await clockNow()
    const { now } = await advance(exchange, 'PT31M')
    assert.ok(Date.parse(now) >= before + 31 * 60_000)
    for (const id of [unopened.id, opened, unpaid.id]) {
      const record = await read(exchange, id)
      assert.equal(record.status, 'expired')
      const late = Date.parse(record.status_history.at(-1)?.at ?? '') - Date.parse(record.expires_at)
      assert.ok(late >= 0 && late < 60_000, `expired ${late} ms after its deadline`)
      assert.equal(record.to_amount, null)
    }
    await assertBooksHold(exchange)
  })

  it('is counted when the clock passes it, once for each', async () => {
    await advance(exchange, 'PT1H')
    await Promise.all(Array.from({ length: 7 }, () => create(exchange)))
    assert.equal((await advance(exchange, 'PT29M')).ran, 0)
    assert.equal((await advance(exchange, 'PT2M')).ran, 7)
    assert.equal((await advance(exchange, 'P1D')).ran, 0)
  })

  it('does not end what was paid in time', async () => {
    const { id } = await readyToPay(exchange)
    await pay(exchange, id)
    await arrive(exchange, id, 'finished')
    await advance(exchange, 'P30D')
    assert.equal((await read(exchange, id)).status, 'finished')
  })

  it('does not end what was paid and never told: the rail is asked first', async () => {
    const { id } = await readyToPay(exchange)
    await lookup(
      exchange,
      `create function lose() returns trigger language plpgsql as 'begin return null; end';
      create trigger lose before insert on sandbox.callbacks for each row execute function lose()`,
    )
    try {
      await pay(exchange, id)
    } finally {
      await lookup(exchange, 'drop trigger lose on sandbox.callbacks; drop function lose')
    }
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await advance(exchange, 'PT31M')
    const { status_history: history } = await arrive(exchange, id, 'finished')
    assert.ok(history.every(({ status }) => status !== 'expired'))
  })

  it('begins anew when the customer has given everything', async () => {
    const { id, expires_at: first } = await create(exchange)
    await advance(exchange, 'PT20M')
    const body = await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
    assert.equal(body.status, 201)
    await advance(exchange, 'PT20M')
    const record = await read(exchange, id)
    assert.equal(record.status, 'waiting_for_deposit')
    assert.ok(Date.parse(record.expires_at) >= Date.parse(first) + 20 * 60_000)
  })
})

test('money that comes after the end, at another price, is held for its customer, never lost', async () => {
  const { id } = await readyToPay(exchange)
  await advance(exchange, 'PT31M')
  assert.equal((await read(exchange, id)).status, 'expired')
  market.setPrice('BTC', 1_100n)
  await pay(exchange, id)

  const held = await arrive(exchange, id, 'on_hold')
  assert.deepEqual([held.status_details, held.from_amount, held.to_amount], ['late', '100', null])
  assert.equal(await bookBalance(exchange, `customer:${id}`, 'EUR-EUR'), -10_000n)
  await advance(exchange, 'P10D')
  assert.equal((await read(exchange, id)).status, 'on_hold')
  await assertBooksHold(exchange)
})

describe('money that comes when its price has ended', () => {
  const moves = table(`
    bitcoin then  status
    1000          finished
    985           finished
    700           finished
    1019          finished
    1022          on_hold
    1500          on_hold
  `)
  for (const { 'bitcoin then': thousandths = '', status = '' } of moves) {
    it(`is exchanged at the new price or held: bitcoin at ${thousandths} of 1000 makes it ${status}`, async () => {
      market.setPrice('BTC', 1_000n)
      const agreed = await readyToPay(exchange)
      await advance(exchange, 'PT16M')
      market.setPrice('BTC', BigInt(thousandths))
      await pay(exchange, agreed.id)
      const record = await arrive(exchange, agreed.id, status)

      if (status === 'on_hold') {
        assert.deepEqual([record.status_details, record.to_amount], ['late', null])
        assert.equal(record.expected_to_amount, agreed.expected_to_amount)
      } else {
        assert.equal(record.to_amount, await directEstimate())
        assert.equal(record.to_amount, record.estimate_breakdown.toAmount)
        assert.equal(record.expected_to_amount, record.to_amount)
        const explained = await explainPrices(exchange.service.composition.ctx, BigInt(agreed.id))
        assert.deepEqual(
          explained.map(({ number, agrees }) => [number, agrees]),
          [
            [1, true],
            [2, true],
          ],
        )
      }
      assert.equal(record.from_amount, '100')
      await assertBooksHold(exchange)
    })
  }

  it('is exchanged within the slippage bound, though the least amount has risen above it', async () => {
    market.setPrice('BTC', 1_000n)
    const { body: range } = await exchange.api<{ min: number }>('/v1/market-info/min-max-range/btc_eur')
    const least = { from_amount: String(range.min), from_currency: 'BTC', to_currency: 'EUR' }
    const { id } = await readyToPay(exchange, least)
    await advance(exchange, 'PT21M')
    market.setPrice('BTC', 985n)
    assert.equal((await exchange.api('/v1/transaction', { body: least })).status, 400)
    await pay(exchange, id)
    const { from_amount: paid } = await arrive(exchange, id, 'finished')
    assert.equal(paid, least.from_amount)
  })

  it('keeps its price until the very end of its validity', async () => {
    market.setPrice('BTC', 1_000n)
    // While its market is fast, a price holds for a shorter time.
    await advance(exchange, 'PT2M')
    const agreed = await readyToPay(exchange)
    await advance(exchange, 'PT14M')
    market.setPrice('BTC', 2_000n)
    await pay(exchange, agreed.id)
    const { to_amount: paid } = await arrive(exchange, agreed.id, 'finished')
    assert.equal(paid, agreed.expected_to_amount)
  })
})

async function directEstimate(): Promise<string> {
  const asked = '/v1/estimate?from_amount=100&from_currency=EUR&to_currency=BTC'
  return (await exchange.api<{ value: string }>(asked)).body.value
}

describe('the clock', () => {
  const refused = table(`
    body                                 path
    {}                                   advance
    {"advance": null}                    advance
    {"advance": ""}                      advance
    {"advance": 60}                      advance
    {"advance": "60"}                    advance
    {"advance": "PT0S"}                  advance
    {"advance": "-PT5M"}                 advance
    {"advance": "P11Y"}                  advance
    {"advance": "PT5X"}                  advance
    {"advance": "P3661D"}                advance
    {"advance": "P999999999W"}           advance
    {"advance": ["PT5M"]}                advance
    {"advance": {"ms": 5}}               advance
    []                                   advance
  `)
  it('refuses what is no forward step of at most ten years, and does not move', async () => {
    const before = await clockNow()
    for (const { body = '', path } of refused) {
      const answer = await exchange.api<Refused>('/v1/sandbox/clock', { body })
      assert.deepEqual([answer.status, answer.body.code, answer.body.errors[0]?.path], [400, 'BAD_REQUEST', path], body)
    }
    assert.ok((await clockNow()) - before < 60_000)
  })

  it('adds up what several ask for at once, and never goes back, after a restart neither', async () => {
    const before = await clockNow()
    await Promise.all(Array.from({ length: 5 }, () => advance(exchange, 'PT1M')))
    const passed = (await clockNow()) - before
    assert.ok(passed >= 5 * 60_000 && passed < 6 * 60_000, `${passed} ms`)

    const twin = await startTwin(exchange)
    const later = twin.composition.ctx.clock.now().getTime()
    await twin.stop()
    assert.ok(later >= before + 5 * 60_000, 'a second process has the same time')
    await assert.rejects(lookup(exchange, 'update service_state set clock_offset_ms = -1'), /clock_offset_ms/)
  })
})
