import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import {
  assertBooksHold,
  bookBalance,
  buy,
  lookup,
  railEvent,
  read,
  readyToPay,
  statusesOf,
} from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle } from '../support/told-facts.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

/** What the rail reported about the payment of an order, and what became of its dispute and its deposit. */
const kindsOf = async (id: string): Promise<string[]> =>
  (
    await lookup<{ kind: string }>(
      exchange,
      `select rail_events.kind from rail_events join deposit_instructions using (rail, reference)
       join transactions on transactions.id = transaction_id where public_id = $1 order by rail_events.id`,
      [id],
    )
  ).map(({ kind }) => kind)
const statesOf = async (id: string): Promise<string[]> =>
  (
    await lookup<{ states: string }>(
      exchange,
      `select concat_ws(' ', disputes.state, deposits.state, deposits.taken_back) as states
       from disputes join deposits on deposits.id = deposit_id join transactions on transactions.id = transaction_id
       where public_id = $1`,
      [id],
    )
  ).map(({ states }) => states)
const losses = (): Promise<bigint> => bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')

/** A finished buy whose card payment is disputed, once that is booked. */
async function disputed(): Promise<string> {
  const { id } = await buy(exchange)
  await railEvent(exchange, id, 'dispute_opened')
  await until(async () => (await read(exchange, id)).errors.length > 0, 'the dispute to be booked')
  return id
}

describe('a dispute of a card payment', () => {
  it('is booked as a loss when the processor withdraws the money, and taken once when it is lost', async () => {
    const before = await losses()
    const id = await disputed()
    const { status, errors } = await read(exchange, id)
    assert.deepEqual([status, errors.map(({ code }) => code)], ['finished', ['payment_reversed']])
    assert.equal(await losses(), before + 10_000n)
    assert.deepEqual(await statesOf(id), ['opened lost 10000'])

    await railEvent(exchange, id, 'dispute_lost')
    await until(async () => (await statesOf(id))[0]?.startsWith('lost ') === true, 'the end of the dispute')
    assert.deepEqual(await kindsOf(id), ['deposit_final', 'dispute_opened', 'dispute_lost'])
    await assertBooksHold(exchange)
    assert.equal(await losses(), before + 10_000n)
  })

  it('gives the money back to the books when it is won: there is no loss, and nothing is paid out twice', async () => {
    const before = await losses()
    const id = await disputed()
    const paid = (await read(exchange, id)).to_amount
    await railEvent(exchange, id, 'dispute_won')
    await until(async () => (await statesOf(id))[0]?.startsWith('won ') === true, 'the end of the dispute')
    assert.deepEqual(await statesOf(id), ['won final 0'])
    assert.equal(await losses(), before)
    const { status, to_amount: still } = await read(exchange, id)
    assert.deepEqual([status, still], ['finished', paid])
    await assertBooksHold(exchange)
  })

  it('books a payment that was reported after its dispute, once the dispute is won', async () => {
    const before = await losses()
    const { id } = await readyToPay(exchange)
    const [instruction] = await lookup<{ reference: string }>(
      exchange,
      `select reference from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1`,
      [id],
    )
    assert.ok(instruction)
    const payment = { ...instruction, payment: `late-${id}`, amount: 10_000n }
    const dispute = { id: `d ${id}`, fundsMoved: true }
    await tellAndSettle(exchange, { ...payment, dispute, key: `o ${id}`, kind: 'dispute_opened' })
    await tellAndSettle(exchange, { ...payment, key: `f ${id}`, kind: 'deposit_final' })
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await tellAndSettle(exchange, { ...payment, dispute, key: `w ${id}`, kind: 'dispute_won' })
    await until(async () => (await statesOf(id))[0] === 'won final 0', 'the deposit to be booked')
    // Whether its payout was on its way before the withdrawal was booked or staff have to release it now is a matter of chance.
    assert.ok(statusesOf(await read(exchange, id)).includes('exchanging'))
    assert.equal(await losses(), before)
  })

  it('gives back once, in whatever order the processor reports, and never more than it withdrew', async () => {
    const before = await losses()
    const { id } = await buy(exchange)
    const [payment] = await lookup<{ payment: string; reference: string }>(
      exchange,
      `select payment, reference from deposits join deposit_instructions using (transaction_id)
       join transactions on transactions.id = deposits.transaction_id where public_id = $1`,
      [id],
    )
    assert.ok(payment)
    const dispute = { id: `d ${id}`, fundsMoved: true }
    const said = { ...payment, dispute, amount: 10_000n }
    await tellAndSettle(exchange, { ...said, key: `w ${id}`, kind: 'dispute_won' })
    assert.equal(await losses(), before)
    await tellAndSettle(exchange, { ...said, key: `o ${id}`, kind: 'dispute_opened' })
    await until(async () => (await statesOf(id))[0] === 'won final 0', 'what was reported before it could be')
    assert.equal(await losses(), before)
    await tellAndSettle(exchange, { ...said, key: `x ${id}`, kind: 'dispute_won' })
    await tellAndSettle(exchange, { ...said, key: `w ${id}`, kind: 'dispute_won' })
    // Two events that can never be booked do not have each other looked at for ever.
    for (const key of ['y', 'z']) {
      await tellAndSettle(exchange, { ...payment, key: `${key} ${id}`, kind: 'deposit_reversed', amount: 30_000n })
    }
    assert.deepEqual([await losses(), await statesOf(id)], [before, ['won final 0']])
    const problems = await verify(exchange.service.composition.ctx)
    assert.deepEqual(
      problems.filter((problem) => !problem.includes('the books say')),
      [],
    )
  })

  for (const [what, amount, disputed] of [
    ['all', 10_000n, 10_000n],
    ['a part', 4_000n, 6_000n],
    ['a part, and all is disputed,', 4_000n, 10_000n],
  ] as const)
    it(`marks its customer once, also where the processor has withdrawn ${what} of the payment before, which marks nobody`, async () => {
      const { id } = await buy(exchange)
      const [payment] = await lookup<{ rail: string; reference: string; payment: string }>(
        exchange,
        `select deposits.rail, reference, deposits.payment from deposits join rail_events on rail_events.id = event_id
         join transactions on transactions.id = deposits.transaction_id where public_id = $1`,
        [id],
      )
      assert.ok(payment)
      const marks = async (): Promise<unknown> =>
        (
          await lookup<{ marks: number }>(
            exchange,
            'select chargebacks::int as marks from customers join transactions on customers.id = customer_id where public_id = $1',
            [id],
          )
        )[0]?.marks
      const before = await losses()
      const said = { ...payment, amount: disputed, dispute: { id: `d ${id}`, round: 0, fundsMoved: true } }
      await tellAndSettle(exchange, { ...payment, amount, key: `v ${id}`, kind: 'deposit_withdrawn' })
      assert.deepEqual([await marks(), await losses()], [0, before + amount])
      await tellAndSettle(exchange, { ...said, key: `o ${id}`, kind: 'dispute_opened' })
      await tellAndSettle(exchange, { ...said, key: `l ${id}`, kind: 'dispute_lost' })
      assert.deepEqual([await marks(), await losses()], [1, before + 10_000n])
      const problems = await verify(exchange.service.composition.ctx)
      assert.deepEqual(
        problems.filter((problem) => !problem.includes('the books say')),
        [],
      )
    })
})
