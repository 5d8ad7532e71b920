import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange, steady } from '../support/exchange.ts'
import { assertBooksHold, bookBalance, buy, lookup, railEvent, read } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, steady)
})
after(() => exchange.stop())

const stored = (id: string): Promise<{ kind: string }[]> =>
  lookup(
    exchange,
    `select facts.kind from facts join deposit_instructions using (rail, reference)
     join transactions on transactions.id = transaction_id where public_id = $1 order by facts.id`,
    [id],
  )

/** A finished buy whose card payment is disputed, once that is booked. */
async function disputed(): Promise<string> {
  const { id } = await buy(exchange)
  await railEvent(exchange, id, 'dispute_opened')
  await until(async () => (await read(exchange, id)).errors.length > 0, 'the dispute to be booked')
  return id
}

describe('a dispute of a card payment', () => {
  it('is booked as a loss when the processor withdraws the money, and taken once when it is lost', async () => {
    const before = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const id = await disputed()
    const { status, errors } = await read(exchange, id)
    assert.deepEqual([status, errors.map(({ code }) => code)], ['finished', ['payment_reversed']])
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), before + 10_000n)

    await railEvent(exchange, id, 'dispute_lost')
    await until(async () => (await stored(id)).length === 3, 'the end of the dispute')
    assert.deepEqual(
      (await stored(id)).map(({ kind }) => kind),
      ['deposit.final', 'deposit.reversed', 'dispute.lost'],
    )
    await assertBooksHold(exchange)
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), before + 10_000n)
  })

  it('gives the money back when it is won: it waits in suspense for staff, and nothing is paid out', async () => {
    const before = await bookBalance(exchange, 'suspense', 'EUR-EUR')
    const id = await disputed()
    await railEvent(exchange, id, 'dispute_won')
    await until(
      async () => (await bookBalance(exchange, 'suspense', 'EUR-EUR')) === before - 10_000n,
      'the money in suspense',
    )
    assert.equal((await read(exchange, id)).status, 'finished')
    await assertBooksHold(exchange)
  })
})
