import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { referenceOf } from '../support/callback.ts'
import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { arrive, lookup, railEvent, read, readyToPay } from '../support/journey.ts'
import { silence } from '../support/silent-rail.ts'
import { until } from '../support/telling.ts'
import { tellAndSettle, type ToldFact } from '../support/told-facts.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

const told = (...facts: ToldFact[]) => tellAndSettle(exchange, ...facts)

describe('what comes and goes in one batch', () => {
  it('does not wedge its transaction: what came back later can still be paid again', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    await told({ key: 'h7_1', kind: 'deposit_final', reference, payment: 'pay_h7a' })
    await arrive(exchange, id, 'finished')
    await told(
      { key: 'h7_2', kind: 'deposit_final', reference, payment: 'pay_h7b' },
      { key: 'h7_3', kind: 'deposit_reversed', reference, payment: 'pay_h7b' },
    )
    await railEvent(exchange, id, 'bounce')
    await until(async () => (await read(exchange, id)).status_details === 'address_needed', 'the bounce')
    const payout_address = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'
    const { status } = await exchange.api(`/v1/sandbox/transaction/${id}/checkout`, { body: { payout_address } })
    assert.equal(status, 201)
    await arrive(exchange, id, 'finished')
  })
})

/** What a transaction says of its history and its events, and how many there are of both. */
async function counted(id: string): Promise<Record<'changes' | 'events', [said: number, counted: number]>> {
  const [row] = await lookup<Record<'changes' | 'events' | 'changed' | 'told', number>>(
    exchange,
    `select status_changes as changes, events,
       (select count(*)::int from status_history where transaction_id = transactions.id) as changed,
       (select count(*)::int from events where stream = public_id) as told from transactions where public_id = $1`,
    [id],
  )
  assert.ok(row)
  return { changes: [row.changes, row.changed], events: [row.events, row.told] }
}

describe('the history of a transaction is whole when one batch tells', () => {
  type Fate = 'final b' | 'reversed a' | 'reversed b' | 'returned'
  const batches: { before: Fate[]; batch: Fate[] }[] = [
    { before: [], batch: ['final b', 'reversed a'] },
    { before: ['final b'], batch: ['reversed a', 'reversed b'] },
    { before: [], batch: ['returned', 'reversed a'] },
    { before: ['final b'], batch: ['returned', 'reversed b'] },
  ]
  for (const [index, { before: earlier, batch }] of batches.entries()) {
    it(`${batch.join(', then ')}${earlier.length > 0 ? ` (after ${earlier.join()})` : ''}`, async () => {
      const { id } = await readyToPay(exchange)
      const reference = await referenceOf(exchange, id)
      const of = (letter: string) => ({ reference, payment: `pay_j${index}${letter}` })
      await told({ key: `j${index}_a`, kind: 'deposit_final', ...of('a') })
      await arrive(exchange, id, 'finished')
      const [plan] = await lookup<{ plan_key: string; rail: string; amount: string }>(
        exchange,
        `select plan_key, plans.rail, amount::text from plans join payouts on payouts.plan_id = plans.id
         join transactions on transactions.id = transaction_id where public_id = $1`,
        [id],
      )
      assert.ok(plan)
      const facts = {
        'final b': { key: `j${index}_b`, kind: 'deposit_final', ...of('b') },
        'reversed a': { key: `j${index}_ra`, kind: 'deposit_reversed', ...of('a') },
        'reversed b': { key: `j${index}_rb`, kind: 'deposit_reversed', ...of('b') },
        returned: {
          key: `j${index}_r`,
          kind: 'payout_returned',
          reference: plan.plan_key,
          payment: `back_j${index}`,
          rail: plan.rail,
          asset: 'BTC-BTC',
          amount: BigInt(plan.amount),
        },
      } as const
      for (const fate of earlier) await told(facts[fate])
      await told(...batch.map((fate) => facts[fate]))
      const { changes, events } = await counted(id)
      assert.deepEqual([changes[0], events[0]], [changes[1], events[1]])
    })
  }
})

describe('a second payment that is taken back', () => {
  it('while the payout is under way holds nothing afterwards', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    const { answer } = silence(exchange, 'sandbox-btc')
    await railEvent(exchange, id, 'timeout')
    await told({ key: 'k1_1', kind: 'deposit_final', reference, payment: 'pay_k1a' })
    await told({ key: 'k1_2', kind: 'deposit_final', reference, payment: 'pay_k1b' })
    assert.ok(['exchanging', 'sending'].includes((await read(exchange, id)).status))
    await told({ key: 'k1_3', kind: 'deposit_reversed', reference, payment: 'pay_k1b' })
    answer()
    await until(async () => ['finished', 'on_hold'].includes((await read(exchange, id)).status), 'an end')
    const { status, from_amount: arrived } = await read(exchange, id)
    assert.deepEqual([status, arrived], ['finished', '100'])
  })
})
