import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { verify } from '../../src/exchange/checks/verify.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { readDispute as readAtCheckout } from '../../src/rails/checkout-com/translation.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import {
  arrivalOf,
  assertLeft,
  type DisputeStep,
  disputeSteps,
  eventsAt,
  isWithheld,
} from '../support/dispute-paths.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { mayFollow } from '../support/hyperswitch-world.ts'
import { arrive, assertBooksHold, bookBalance, buy, lookup, read } from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle } from '../support/told-facts.ts'

describe('disputes with rounds', () => {
  let exchange: Exchange
  before(async () => {
    exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
  })
  after(() => exchange.stop())

  type Payment = { payment: string; reference: string }
  async function paid(): Promise<Payment & { id: string }> {
    const { id } = await buy(exchange)
    const [payment] = await lookup<Payment>(
      exchange,
      `select payment, reference from deposits join deposit_instructions using (transaction_id)
       join transactions on transactions.id = deposits.transaction_id where public_id = $1`,
      [id],
    )
    assert.ok(payment)
    return { ...payment, id }
  }
  const eventsOf = (payment: Payment, id: string, step: DisputeStep, amount = '10000', currency = 'EUR') =>
    eventsAt(payment, id, step, { amount, currency })
  const takenFrom = async ({ payment }: Payment): Promise<bigint> => {
    const sql = 'select taken_back as taken from deposits where payment = $1'
    const [deposit] = await lookup<{ taken: string }>(exchange, sql, [payment])
    return BigInt(deposit?.taken ?? -1)
  }

  /** Only the world knows nothing of what is told here about it. */
  const assertHolds = async (): Promise<void> =>
    assert.deepEqual(
      (await verify(exchange.service.composition.ctx)).filter((problem) => !problem.includes('the books say')),
      [],
    )

  it('withhold after any two steps that Hyperswitch allows exactly what the last one says', async () => {
    const pairs = disputeSteps.flatMap((one) =>
      disputeSteps.filter((next) => mayFollow(one, next)).map((next) => [one, next]),
    )
    assert.ok(pairs.length > 400)
    for (let from = 0; from < pairs.length; from += 100) {
      await assertLeft(
        exchange,
        pairs.slice(from, from + 100).map((path, index) => {
          const name = `pair ${from + index}`
          const payment = { payment: name, reference: name }
          return { name, path, told: [arrivalOf(name), ...path.flatMap((step) => eventsOf(payment, name, step))] }
        }),
      )
    }
    await assertHolds()
  })

  it('withhold what the last step says after longer paths, seen in part and told in any order', async (t) => {
    const seed = randomInt(2 ** 31)
    t.diagnostic(`seed ${seed}`)
    // Where each path goes, whether each of its steps is seen, and in which order its events are told.
    const draws = fc.sample(fc.array(fc.nat(1_000_000), { minLength: 64, maxLength: 64 }), { seed, numRuns: 150 })
    const paths = draws.flatMap((numbers, index) => {
      const draw = (below: number): number => (numbers.shift() ?? 0) % below
      const path: DisputeStep[] = []
      for (let length = 2 + draw(5); length > 0; length -= 1) {
        const next = disputeSteps.filter((step) => mayFollow(path.at(-1) ?? disputeSteps[draw(7)] ?? step, step))
        path.push(next[draw(next.length)] ?? assert.fail())
      }
      const seen = path.filter((_, at) => at === path.length - 1 || draw(2) === 0)
      // That a reversal is looked at says nothing without the steps before it.
      if (isWithheld(path) !== isWithheld(seen)) return []
      const name = `path ${index}`
      const events = seen.flatMap((step) => eventsOf({ payment: name, reference: name }, name, step))
      const told = [arrivalOf(name), ...events].map((event) => ({ event, at: draw(1_000) }))
      return [{ name, path, told: told.toSorted((one, other) => one.at - other.at).map(({ event }) => event) }]
    })
    assert.ok(paths.length > 50)
    await assertLeft(exchange, paths)
    await assertHolds()
  })

  it('are booked in another currency, and two of one payment at once', async () => {
    const before = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const whole = await paid()
    const opened = { dispute_stage: 'dispute', dispute_status: 'dispute_opened' }
    await tellAndSettle(exchange, ...eventsOf(whole, 'usd', opened, '10900', 'USD'))
    assert.equal(await takenFrom(whole), 10_000n)
    await tellAndSettle(
      exchange,
      ...eventsOf(whole, 'usd', { ...opened, dispute_status: 'dispute_won' }, '10900', 'USD'),
    )
    assert.equal(await takenFrom(whole), 0n)

    const parts = await paid()
    await tellAndSettle(
      exchange,
      ...eventsOf(parts, 'one', opened, '6000'),
      ...eventsOf(parts, 'two', opened, '4000'),
      ...eventsOf(parts, 'one', { ...opened, dispute_status: 'dispute_won' }, '6000'),
    )
    assert.equal(await takenFrom(parts), 4_000n)
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), before + 4_000n)
    await assertHolds()
  })

  it('that together exceed their payment take all of it, and what was cut off is taken once another one is won', async () => {
    const opened = { dispute_stage: 'dispute', dispute_status: 'dispute_opened' }
    const won = { ...opened, dispute_status: 'dispute_won' }
    for (const first of [0, 1] as const) {
      const whole = await paid()
      const tell = (at: 0 | 1, state: typeof won) =>
        tellAndSettle(exchange, ...eventsOf(whole, `${first} is won first, ${at}`, state, at === 0 ? '7000' : '6000'))
      await tell(0, opened)
      await tell(1, opened)
      assert.equal(await takenFrom(whole), 10_000n)
      await tell(first, won)
      assert.equal(await takenFrom(whole), first === 0 ? 6_000n : 7_000n)
      await tell(first === 0 ? 1 : 0, won)
      assert.equal(await takenFrom(whole), 0n)
    }
    await assertHolds()
  })

  it('withhold after every status of Checkout.com, before and in arbitration, what the last one says', async () => {
    const first = [
      'evidence_required',
      'evidence_under_review',
      'won',
      'canceled',
      'lost',
      'accepted',
      'expired',
      'resolved',
    ]
    const arbitration = ['arb_evidence_submitted', 'arbitration_under_review', 'arbitration_won', 'arbitration_lost']
    const paths = first.flatMap((one) => [[one], ...arbitration.map((next) => [one, next])])
    const names = paths.map((path) => path.join(' then '))
    const told = paths.flatMap((path, index) => {
      const name = names[index] ?? ''
      const shown = path.map((status) => ({
        id: name,
        status,
        amount: '10000',
        currency: 'EUR',
        payment: { id: name, reference: name },
      }))
      return [arrivalOf(name), ...shown.flatMap((one) => readAtCheckout(one).events)]
    })
    await tellAndSettle(exchange, ...told)
    const rows = await lookup<{ payment: string; left: string }>(
      exchange,
      'select payment, (amount - taken_back)::text as left from deposits where payment = any($1)',
      [names],
    )
    const leftOf = new Map(rows.map((one) => [one.payment, one.left]))
    const gives = new Set(['won', 'canceled', 'resolved', 'arbitration_won'])
    for (const [index, path] of paths.entries()) {
      const name = names[index] ?? ''
      assert.equal(leftOf.get(name) ?? '0', gives.has(path.at(-1) ?? '') ? '10000' : '0', name)
    }
    await assertHolds()
  })

  it('are booked up to what is left of the payment, where more is disputed', async () => {
    const opened = { dispute_stage: 'dispute', dispute_status: 'dispute_opened' }
    const won = { ...opened, dispute_status: 'dispute_won' }
    const more = await paid()
    await tellAndSettle(exchange, ...eventsOf(more, 'more', opened, '12000'))
    assert.equal(await takenFrom(more), 10_000n)
    await tellAndSettle(exchange, ...eventsOf(more, 'more', won, '12000'))
    assert.equal(await takenFrom(more), 0n)
    await tellAndSettle(exchange, ...eventsOf(more, 'more', { ...opened, dispute_stage: 'pre_arbitration' }, '12000'))
    assert.equal(await takenFrom(more), 10_000n)

    const two = await paid()
    await tellAndSettle(exchange, ...eventsOf(two, 'first', opened, '7000'), ...eventsOf(two, 'second', opened, '7000'))
    assert.equal(await takenFrom(two), 10_000n)
    await assertHolds()
  })

  it('are booked in another currency once, whatever the market does until they end', async () => {
    const market = stopMarket(exchange)
    const opened = { dispute_stage: 'dispute', dispute_status: 'dispute_opened' }
    const challenged = { ...opened, dispute_status: 'dispute_challenged' }
    const lost = { ...opened, dispute_status: 'dispute_lost' }
    const won = { ...opened, dispute_status: 'dispute_won' }
    for (const later of [800n, 1_250n]) {
      const part = await paid()
      const tell = (step: DisputeStep, amount: string): Promise<void> =>
        tellAndSettle(exchange, ...eventsOf(part, `part ${later}`, step, amount, 'USD'))
      market.setPrice('USD', 1_000n)
      await tell(opened, '5000')
      const booked = await takenFrom(part)
      assert.ok(booked > 4_000n && booked < 6_000n, String(booked))
      market.setPrice('USD', later)
      await tell(challenged, '5000')
      assert.equal(await takenFrom(part), booked, 'a challenge moves nothing')
      const { payment, reference } = part
      const notMoved = { id: `part ${later}`, fundsMoved: false }
      const said = { payment, reference, asset: 'USD-USD', amount: 5_000n, dispute: notMoved }
      await tellAndSettle(exchange, { ...said, key: `end ${later}`, kind: 'dispute_lost' })
      assert.equal(await takenFrom(part), booked, 'the end of it moves nothing')
      // What is really withheld besides is booked as the market is then, and what is given back is given back whole.
      await tell({ ...lost, dispute_stage: 'pre_arbitration' }, '6000')
      assert.notEqual(await takenFrom(part), booked)
      await tell({ ...won, dispute_stage: 'arbitration' }, '6000')
      assert.equal(await takenFrom(part), 0n)
    }
    market.setPrice('USD', 1_000n)
    await assertHolds()
  })
})

describe('a dispute at Hyperswitch', () => {
  let cards: CardExchange
  before(async () => {
    cards = await startCardExchange()
  })
  after(() => cards.stop())

  it('that is won, goes to pre-arbitration and is lost, is a loss, in the books and at the processor', async () => {
    const { exchange, fake } = cards
    const before = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const held = await cards.held()
    const { id, payment } = await cards.atThePage()
    fake.pay(payment.payment_id)
    await cards.deliver()
    await arrive(exchange, id, 'finished')
    const dispute = fake.dispute(payment.payment_id)
    const next = async (stage: string, status: string, loss: bigint): Promise<void> => {
      fake.changeDispute(dispute.dispute_id, { dispute_stage: stage, dispute_status: status })
      await cards.deliver()
      await until(
        async () => (await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')) === before + loss,
        `${stage} ${status} to be booked`,
      )
    }
    await next('dispute', 'dispute_challenged', 10_000n)
    await next('dispute', 'dispute_won', 0n)
    await next('pre_arbitration', 'dispute_opened', 10_000n)
    await next('pre_arbitration', 'dispute_lost', 10_000n)
    assert.equal(await cards.held(), held)
    assert.deepEqual((await read(exchange, id)).errors.map(({ code }) => code).includes('payment_reversed'), true)
    await assertBooksHold(exchange)
  })

  for (const [status, loss] of [
    ['dispute_won', 0n],
    ['dispute_lost', 10_000n],
  ] as const)
    it(`that is in another currency agrees with the processor while it is open and once it has ended: ${status}`, async () => {
      const { exchange, fake } = cards
      const before = await cards.losses()
      const { payment } = await cards.paid()
      const dispute = fake.dispute(payment.payment_id, { amount: '10900', currency: 'USD' })
      await cards.deliver()
      await until(async () => (await cards.losses()) === before + 10_000n, 'what is withheld to be booked')
      await assertBooksHold(exchange)
      fake.changeDispute(dispute.dispute_id, { dispute_status: status })
      await cards.deliver()
      await until(async () => (await cards.losses()) === before + loss, 'its end to be booked')
      await assertBooksHold(exchange)
      assert.deepEqual((await reconcile(exchange.service.composition.ctx)).breaks, [])
    })
})
