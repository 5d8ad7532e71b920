import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { listSuspense, matchSuspense } from '../../src/exchange/operations/suspense.ts'
import { parseJson } from '../../src/platform/lib/json.ts'
import { balanceOf, recordMovements } from '../../src/rails/processor/store.ts'
import { readPayment } from '../../src/rails/checkout-com/translation.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import type { Exchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, lookup, readyToPay, referenceOf, seen, settled } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle, type ToldFact } from '../support/told-facts.ts'

const parts = [6_000n, 8_000n, 10_000n]
const orders = parts.flatMap((one) =>
  parts.flatMap((two) => parts.flatMap((three) => (new Set([one, two, three]).size === 3 ? [[one, two, three]] : []))),
)

describe('a payment that is captured in part, and then whole', () => {
  let cards: CardExchange
  before(async () => {
    cards = await startCardExchange()
  })
  after(() => cards.stop())

  it('is credited the rest at the agreed price, at the processor and in the books, and is one payment to dispute', async () => {
    const { exchange, fake } = cards
    const [held, losses] = [await cards.held(), await cards.losses()]
    const { id, payment } = await cards.atThePage()
    const come = (status: string, received: number): Promise<number[]> => {
      fake.change(payment.payment_id, { status, amount_received: received })
      return cards.deliver()
    }
    await come('partially_captured', 6_000)
    await seen(exchange, id, 'the part', ({ status_details: details }) => details === 'underpaid')
    await come('partially_captured', 6_000)
    assert.equal(await cards.held(), held + 6_000n)
    await come('succeeded', 10_000)
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
    assert.equal(await cards.held(), held + 10_000n)
    await come('partially_captured', 6_000)
    await settled(exchange)
    assert.equal(await cards.held(), held + 10_000n, 'less that is said later takes nothing back')
    const unclear = "select event_key as key from rail_events where payment = $1 and kind = 'unknown'"
    const less = `${payment.payment_id}:less:6000`
    assert.deepEqual(await lookup(exchange, unclear, [payment.payment_id]), [{ key: less }])
    await come('succeeded', 10_000)
    assert.deepEqual((await reconcile(exchange.service.composition.ctx)).breaks, [])

    fake.dispute(payment.payment_id)
    await cards.deliver()
    await until(async () => (await cards.losses()) === losses + 10_000n, 'all of it to be withheld')
    await assertBooksHold(exchange)
  })
})

describe('a payment of which a processor tells ever more', () => {
  let cards: CardExchange
  let exchange: Exchange
  before(async () => {
    cards = await startCardExchange()
    ;({ exchange } = cards)
  })
  after(() => cards.stop())

  const told = (reference: string, payment: string, amount: bigint): ToldFact => ({
    key: `${payment} ${amount}`,
    rail: 'cards',
    kind: 'deposit_final',
    reference,
    payment,
    amount,
  })
  const depositOf = (payment: string): Promise<{ amount: string }[]> =>
    lookup(exchange, 'select amount::text from deposits where payment = $1', [payment])
  const assertHolds = async (): Promise<void> =>
    assert.deepEqual(
      (await verify(exchange.service.composition.ctx)).filter((problem) => !problem.includes('the books say')),
      [],
    )

  it('is booked once at its last amount, in whatever order that is told, at once or one after another', async () => {
    for (const [index, order] of orders.entries()) {
      const { id } = await readyToPay(exchange, { from_amount: '100' })
      const reference = await referenceOf(exchange, id)
      const events = order.map((amount) => told(reference, `own ${index}`, amount))
      if (index % 2 === 0) await tellAndSettle(exchange, ...events)
      else for (const event of events) await tellAndSettle(exchange, event, event)
      assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100', String(order))
      assert.deepEqual(await depositOf(`own ${index}`), [{ amount: '10000' }])
    }
    await assertHolds()
  })

  it('grows in suspense, and after it was given to its order', async () => {
    for (const [index, order] of orders.entries()) {
      const payment = `stray ${index}`
      const { id } = await readyToPay(exchange, { from_amount: '100' })
      const [first = 0n, ...rest] = order
      await tellAndSettle(exchange, told(payment, payment, first))
      if (index % 2 === 0) await tellAndSettle(exchange, ...rest.map((amount) => told(payment, payment, amount)))
      const { ctx } = exchange.service.composition
      const found = (await listSuspense(ctx)).find((one) => one.payment === payment) ?? assert.fail('it is in suspense')
      assert.equal(found.amount, index % 2 === 0 ? 10_000n : first)
      await matchSuspense(ctx, found.id, BigInt(id), { reason: 'It is theirs.', actor: 'cli:test' })
      for (const amount of rest) await tellAndSettle(exchange, told(payment, payment, amount))
      await settled(exchange)
      assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100', String(order))
      assert.deepEqual(await depositOf(payment), [{ amount: '10000' }])
    }
    await assertHolds()
  })

  it('is credited no more than was told first where the processor does not capture in parts', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '100', deposit: { payment_category: 'SEPA' } })
    const reference = await referenceOf(exchange, id)
    const more = [6_000n, 10_000n].map((amount) => ({ ...told(reference, 'lie', amount), rail: 'sandbox-bank' }))
    for (const event of more) await tellAndSettle(exchange, event)
    assert.deepEqual(await depositOf('lie'), [{ amount: '6000' }])
    await tellAndSettle(exchange, {
      ...told('gone', 'gone', 6_000n),
      rail: 'sandbox-bank',
      kind: 'deposit_reversed',
      key: 'back',
    })
    for (const amount of [6_000n, 10_000n])
      await tellAndSettle(exchange, { ...told('gone', 'gone', amount), rail: 'sandbox-bank' })
    assert.deepEqual(await depositOf('gone'), [])
    await assertHolds()
  })

  it('is credited whole once a dispute that withheld all of it is won', async () => {
    for (const [index, order] of orders.entries()) {
      const payment = `won ${index}`
      const { id } = await readyToPay(exchange, { from_amount: '100' })
      const reference = await referenceOf(exchange, id)
      const about = { ...told(reference, payment, 10_000n), dispute: { id: payment, fundsMoved: true } }
      const events = order.map((amount) => told(reference, payment, amount))
      await tellAndSettle(exchange, { ...about, key: `${payment} opened`, kind: 'dispute_opened' })
      if (index % 2 === 0) await tellAndSettle(exchange, ...events)
      else for (const event of events) await tellAndSettle(exchange, event)
      assert.deepEqual(await depositOf(payment), [])
      await tellAndSettle(exchange, { ...about, key: `${payment} won`, kind: 'dispute_won' })
      assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100', String(order))
      assert.deepEqual(await depositOf(payment), [{ amount: '10000' }])
    }
    await assertHolds()
  })

  it('is disputed whole, although its rest is told after the dispute', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '100' })
    const reference = await referenceOf(exchange, id)
    const [part, whole] = [told(reference, 'disputed', 6_000n), told(reference, 'disputed', 10_000n)]
    const dispute = { id: 'disputed', fundsMoved: true }
    await tellAndSettle(exchange, part)
    await tellAndSettle(exchange, { ...whole, key: 'opened', kind: 'dispute_opened', dispute })
    await tellAndSettle(exchange, whole)
    const sql = 'select amount::text, taken_back::text from deposits where payment = $1'
    assert.deepEqual(await lookup(exchange, sql, ['disputed']), [{ amount: '10000', taken_back: '10000' }])
    await assertHolds()
  })

  it('is reversed whole, whether its last part was booked before or comes with the reversal', async () => {
    for (const isTogether of [false, true]) {
      const payment = `void ${isTogether}`
      const { id } = await readyToPay(exchange, { from_amount: '100' })
      const reference = await referenceOf(exchange, id)
      await tellAndSettle(exchange, told(reference, payment, 6_000n))
      const last = told(reference, payment, 10_000n)
      const reversal: ToldFact = { ...last, key: `${payment} back`, kind: 'deposit_reversed' }
      if (isTogether) await tellAndSettle(exchange, reversal, last)
      else {
        await tellAndSettle(exchange, last)
        await tellAndSettle(exchange, reversal)
      }
      const [deposit] = await lookup<{ taken_back: string }>(
        exchange,
        'select taken_back::text from deposits where payment = $1',
        [payment],
      )
      assert.equal(deposit?.taken_back, '10000')
    }
    await assertHolds()
  })
})

type Shown = { status: string; captured?: number }

/** Checkout.com's statuses after a capture, and those of an authorization of which a part was captured before it ended. */
const statusesAfterCapture =
  'Captured|Partially Captured|Partially Refunded|Refunded|Authorized|Canceled|Expired|Voided'.split('|')

describe('a payment at Checkout.com', () => {
  const shown = (id: string, { status, captured }: Shown) =>
    readPayment(
      parseJson(
        JSON.stringify({
          id,
          reference: id,
          currency: 'EUR',
          amount: 10_000,
          status,
          ...(captured === undefined ? {} : { balances: { total_captured: captured } }),
        }),
      ),
    )

  it('is worth what was captured of it in every status, and each amount is an event', () => {
    for (const status of statusesAfterCapture) {
      const events = [6_000, 8_000, 10_000].map((captured) => shown('pay_1', { status, captured }))
      assert.deepEqual(
        events.map(({ key, kind, amount }) => ({ key, kind, amount })),
        [6_000n, 8_000n, 10_000n].map((amount) => ({ key: `pay_1:captured:${amount}`, kind: 'deposit_final', amount })),
        status,
      )
    }
    for (const status of ['Captured', 'Partially Captured', 'Partially Refunded', 'Refunded']) {
      assert.equal(shown('pay_1', { status }).kind, 'unknown', status)
      assert.equal(shown('pay_1', { status, captured: 0 }).kind, 'unknown', status)
    }
    assert.deepEqual(
      ['Authorized', 'Declined', 'Expired'].map((status) => shown('pay_1', { status, captured: 0 }).amount),
      [10_000n, 10_000n, 10_000n],
    )
  })

  it('that was captured in part and refunded never came to more than its part, in the books and at the processor', async () => {
    const { exchange, stop } = await startCardExchange()
    const { db, clock } = exchange.service.composition.ctx
    for (const [index, status] of statusesAfterCapture.entries()) {
      const payment = `pay ${index}`
      const seen = [
        { status: 'Authorized', captured: 0 },
        { status: 'Partially Captured', captured: 6_000 },
        { status, captured: 6_000 },
      ]
      for (const one of seen) await tellAndSettle(exchange, { ...shown(payment, one), rail: 'cards' })
      const events = seen.map((one) => shown(payment, one))
      await db.atomic(async (block) => recordMovements(block, 'checkout', events, clock.now()))
      assert.deepEqual(
        await lookup(exchange, 'select amount::text from deposits where payment = $1', [payment]),
        [{ amount: '6000' }],
        status,
      )
    }
    assert.equal(await balanceOf(db, 'checkout', 'EUR-EUR'), 6_000n * BigInt(statusesAfterCapture.length))
    await stop()
  })
})
