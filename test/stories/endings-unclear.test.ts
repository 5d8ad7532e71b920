import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { askForRefund } from '../../src/exchange/orders/choose.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, eventsOf, lookup, pay, read, readyToPay, seen } from '../support/journey.ts'
import { silence } from '../support/silent-rail.ts'
import { until } from '../support/telling.ts'

type Payload = { id: string; status_details: string | null; refunds: { status: string }[] }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

/** Waits until a transaction's last plan is in doubt, and makes it half a minute ago that it was. */
async function inDoubtForLong(id: string): Promise<void> {
  const doubted = `select plans.id from plans join payouts on plan_id = plans.id
    join transactions on transactions.id = transaction_id where public_id = $1 and plans.state = 'unknown'`
  await until(async () => (await lookup(exchange, doubted, [id])).length > 0, 'the rail to be silent')
  assert.equal((await read(exchange, id)).status_details, null, 'a moment of silence is told to nobody')
  await lookup(exchange, `update plans set unknown_since = unknown_since - interval '30 s' where id in (${doubted})`, [
    id,
  ])
}

describe('a payout of which the rail does not say whether it made it', () => {
  it('is shown and told as such after a while, and no more when the rail answers again', async () => {
    const { id } = await readyToPay(exchange)
    const { answer } = silence(exchange, 'sandbox-btc')
    await pay(exchange, id)
    await arrive(exchange, id, 'sending')
    await inDoubtForLong(id)
    const doubted = await seen(exchange, id, 'the doubt', ({ status_details: details }) => details === 'payout_unknown')
    assert.equal(doubted.status, 'sending')
    answer(() => Promise.resolve({ state: 'pending', lookAgainInMs: 10 }))
    await seen(exchange, id, 'the answer', ({ status_details: details }) => details === null)
    answer()
    const { output_hash: hash } = await arrive(exchange, id, 'finished')
    assert.ok(hash)
    const told = (await eventsOf<Payload>(exchange, id)).filter(({ type }) => type === 'transaction.amounts_changed')
    assert.deepEqual(
      told.map(({ payload }) => payload.status_details),
      ['payout_unknown', null],
    )
    await assertBooksHold(exchange)
  })

  it('and made it, ends as if it had always answered', async () => {
    const { id } = await readyToPay(exchange)
    const { answer } = silence(exchange, 'sandbox-btc')
    await pay(exchange, id)
    await arrive(exchange, id, 'sending')
    await inDoubtForLong(id)
    await seen(exchange, id, 'the doubt', ({ status_details: details }) => details === 'payout_unknown')
    answer()
    assert.equal((await arrive(exchange, id, 'finished')).status_details, null)
    await assertBooksHold(exchange)
  })
})

it('a refund of which the rail does not say so is told as unknown, and as paid in the end', async () => {
  const { id } = await readyToPay(exchange, { from_amount: '250', deposit: { payment_category: 'SEPA' } })
  await pay(exchange, id, { amount: '60' })
  await arrive(exchange, id, 'on_hold')
  const { answer } = silence(exchange, 'sandbox-bank')
  await askForRefund(exchange.service.composition.ctx, BigInt(id))
  await until(
    async () => (await eventsOf<Payload>(exchange, id)).some(({ payload }) => payload.refunds[0]?.status === 'unknown'),
    'the doubt',
  )
  answer()
  await arrive(exchange, id, 'refunded')
  const told = (await eventsOf<Payload>(exchange, id)).filter(({ type }) => type === 'transaction.refund_changed')
  assert.equal(told.at(-1)?.payload.refunds[0]?.status, 'paid')
  await assertBooksHold(exchange)
})
