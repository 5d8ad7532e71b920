import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import fc from 'fast-check'

import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { listSuspense, matchSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { verify } from '../../src/exchange/checks/verify.ts'
import { rememberItem } from '../../src/rails/processor/store.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import {
  arrive,
  assertBooksHold,
  bookBalance,
  lookup,
  readyToPay,
  referenceOf,
  seen,
  settled,
} from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle, type ToldFact } from '../support/told-facts.ts'

const order = { reason: 'A test asks for it.', actor: 'cli:test' }

const totals = [6_000n, 8_000n, 10_000n, 13_000n] as const
const acts = ['match', 'return', 'book', 'fail', 'arrive', 'dispute', 'win'] as const
type Step = (typeof acts)[number] | bigint

describe('more of a payment of which a part has ended in suspense', () => {
  let cards: CardExchange
  let count = 0
  before(async () => {
    cards = await startCardExchange()
  })
  after(() => cards.stop())
  const ctx = () => cards.exchange.service.composition.ctx

  /** A payment that Hyperswitch has, and that names no order. */
  async function stray(): Promise<string> {
    if (count === 0) await cards.atThePage()
    count += 1
    const payment = `pay_${String(count).padStart(24, '0')}01`
    const sample = [...cards.fake.payments.values()][0] ?? assert.fail()
    const more = {
      payment_id: payment,
      merchant_order_reference_id: payment,
      status: 'succeeded',
      amount_received: 13_000,
    }
    cards.fake.payments.set(payment, { ...sample, ...more })
    const item = { rail: 'cards', kind: 'payment', id: payment, reference: payment } as const
    const at = ctx().clock.realNow()
    await rememberItem(ctx().db, item, { at, lookAt: new Date('2099-01-01T00:00:00Z') })
    return payment
  }
  const told = (payment: string, amount: bigint, more: Partial<ToldFact> = {}): ToldFact => ({
    key: `${payment} ${amount}`,
    rail: 'cards',
    kind: 'deposit_final',
    reference: payment,
    payment,
    amount,
    ...more,
  })
  const tell = (...facts: ToldFact[]) => tellAndSettle(cards.exchange, ...facts)
  const waiting = async (payment: string) => (await listSuspense(ctx())).find((one) => one.payment === payment)
  const amountOf = async (payment: string): Promise<bigint> => (await waiting(payment))?.amount ?? 0n
  const idOf = async (payment: string): Promise<bigint> =>
    (await waiting(payment))?.id ?? assert.fail('it is in suspense')
  const unlikeRail = (problem: string): boolean => !problem.includes('the books say')
  async function assertHolds(): Promise<void> {
    assert.deepEqual((await verify(ctx())).filter(unlikeRail), [])
    await assertBooksHold(cards.exchange)
  }

  it('waits in suspense, once, in whatever order its totals are told: 60 is returned, then come 100, 100, 80 and 130', async () => {
    const [payment, held] = [await stray(), await bookBalance(cards.exchange, 'held:cards', 'EUR-EUR')]
    await tell(told(payment, 6_000n))
    await returnSuspense(ctx(), await idOf(payment), order)
    await settled(cards.exchange)
    assert.equal(await amountOf(payment), 0n)
    for (const amount of [10_000n, 10_000n, 8_000n]) {
      await tell(told(payment, amount))
      assert.equal(await amountOf(payment), 4_000n)
    }
    await bookOwnMoney(ctx(), String(await idOf(payment)), { ...order, category: 'fee' })
    assert.equal(await amountOf(payment), 0n)
    await tell(told(payment, 13_000n))
    assert.equal(await amountOf(payment), 3_000n)
    cards.fake.settle()
    await cards.deliver()
    await settled(cards.exchange)
    const isBooked = async () => (await bookBalance(cards.exchange, 'held:cards', 'EUR-EUR')) - held === 7_000n
    await until(isBooked, 'the refund to be booked')
    await assertHolds()
  })

  it('is given to the order that it was for, whose amount is the rest, and can be disputed with what had ended', async () => {
    const payment = await stray()
    const { id } = await readyToPay(cards.exchange, { from_amount: '70' })
    await tell(told(payment, 6_000n))
    await bookOwnMoney(ctx(), String(await idOf(payment)), { ...order, category: 'expense' })
    await tell(told(payment, 10_000n))
    await matchSuspense(ctx(), await idOf(payment), BigInt(id), order)
    await tell(told(payment, 13_000n))
    assert.equal((await arrive(cards.exchange, id, 'finished')).from_amount, '70')
    await assertHolds()
    const losses = await cards.losses()
    await tell(
      told(payment, 13_000n, { key: 'all', kind: 'dispute_opened', dispute: { id: payment, fundsMoved: true } }),
    )
    assert.equal((await cards.losses()) - losses, 13_000n)
    await assertHolds()
  })

  it('is the money of an order that has ended, if it was given to it before', async () => {
    const payment = await stray()
    const { id } = await readyToPay(cards.exchange, { from_amount: '60' })
    await tell(told(payment, 6_000n))
    await matchSuspense(ctx(), await idOf(payment), BigInt(id), order)
    await arrive(cards.exchange, id, 'finished')
    await tell(told(payment, 10_000n))
    const sql = 'select amount::text from deposits where payment = $1'
    assert.deepEqual(await lookup(cards.exchange, sql, [payment]), [{ amount: '10000' }])
    await seen(cards.exchange, id, 'the rest', ({ from_amount: amount }) => amount === '100')
    await assertHolds()
  })

  it('belongs where its payment does, whatever reference it comes with', async () => {
    const payment = await stray()
    const { id } = await readyToPay(cards.exchange, { from_amount: '60' })
    const { id: other } = await readyToPay(cards.exchange, { from_amount: '60' })
    await tell(told(payment, 6_000n, { reference: await referenceOf(cards.exchange, id) }))
    await arrive(cards.exchange, id, 'finished')
    await tell(told(payment, 10_000n, { reference: await referenceOf(cards.exchange, other) }))
    await tell(told(payment, 13_000n))
    await seen(cards.exchange, id, 'the rest', ({ from_amount: amount }) => amount === '130')
    const sql =
      'select amount::text, public_id::text as order from deposits join transactions on transactions.id = transaction_id where payment = $1'
    assert.deepEqual(await lookup(cards.exchange, sql, [payment]), [{ amount: '13000', order: id }])
    await assertHolds()
  })

  /** Plays one payment, and compares what lies in suspense with a model after each step. */
  async function play(steps: readonly Step[]): Promise<void> {
    const payment = await stray()
    let [came, free, withheld, rounds] = [0n, 0n, 0n, 0]
    let [isMatched, wasDisputed] = [false, false]
    const [failed, sent]: [bigint[], bigint[]] = [[], []]
    for (const [index, step] of steps.entries()) {
      const inSuspense = failed.reduce((sum, one) => sum + one, free)
      if (typeof step === 'bigint') {
        await tell(told(payment, step))
        if (step > came && !isMatched) free += step - came
        if (step > came) came = step
      } else if (step === 'dispute' || step === 'win') {
        if (came === 0n || (step === 'win') !== withheld > 0n) continue
        const dispute = { id: payment, fundsMoved: true, round: rounds }
        const kind = step === 'win' ? 'dispute_won' : 'dispute_opened'
        const amount = step === 'win' ? withheld : came
        await tell(told(payment, amount, { key: `${payment} ${step} ${rounds}`, kind, dispute }))
        withheld = step === 'win' ? 0n : came
        if (step === 'win') rounds += 1
        wasDisputed = true
      } else if (step === 'fail' || step === 'arrive') {
        for (const { refund_id: refund, payment_id: of, status } of cards.fake.refunds.values()) {
          if (of === payment && status === 'pending') {
            cards.fake.changeRefund(refund, step === 'fail' ? 'failed' : 'succeeded')
          }
        }
        await cards.deliver()
        await settled(cards.exchange)
        const ended = sent.splice(0)
        if (step === 'fail') failed.push(...ended)
      } else if (inSuspense > 0n && !wasDisputed && (step === 'return' || !isMatched)) {
        const id = await idOf(payment)
        if (step === 'return') {
          await returnSuspense(ctx(), id, order)
          const again = failed.shift()
          sent.push(again ?? free)
          if (again === undefined) free = 0n
        } else if (step === 'book') await bookOwnMoney(ctx(), String(id), { ...order, category: 'fee' })
        else {
          const { id: transaction } = await readyToPay(cards.exchange, { from_amount: '60' })
          await matchSuspense(ctx(), id, BigInt(transaction), order)
          isMatched = true
        }
        if (step !== 'return') [free] = [0n, failed.splice(0)]
        await settled(cards.exchange)
      }
      const where = `${steps.join()}: ${String(step)} (${index})`
      assert.deepEqual((await verify(ctx())).filter(unlikeRail), [], where)
      const sql = 'select amount::text from deposits where payment = $1'
      assert.deepEqual(await lookup(cards.exchange, sql, [payment]), came > 0n ? [{ amount: String(came) }] : [], where)
      if (!wasDisputed)
        assert.equal(
          await amountOf(payment),
          failed.reduce((sum, one) => sum + one, free),
          where,
        )
    }
  }

  it('is counted once, whatever is done in between, in any order', async (t) => {
    const seed = randomInt(2 ** 31)
    t.diagnostic(`seed ${seed}`)
    const step = fc.oneof(fc.constantFrom(...totals), fc.constantFrom(...acts))
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 9 }), play), {
      numRuns: 6,
      endOnFailure: true,
      seed,
    })
    await assertBooksHold(cards.exchange)
  })
})
