import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  buy,
  create,
  lookup,
  pay,
  readyToPay,
  type Refused,
} from '../support/journey.ts'
import { startTwin } from '../support/twin.ts'

const good = {
  from_amount: 100,
  from_currency: 'EUR',
  to_currency: 'BTC',
  customer: { contact_info: { email: 'gone@example.com' } },
}
const headers = { 'idempotency-key': 'of someone who will be gone' }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

/** Erases the keys that a transaction's personal data is sealed with, as an operator's tool would. */
const erase = (id: string) =>
  lookup(
    exchange,
    'update data_keys set wrapped = null, erased_at = now() where id = (select data_key_id from transactions where public_id = $1)',
    [id],
  )

describe('when a person’s key has been erased', () => {
  it('the record is not shown, by no door, and nobody meets a fault', async () => {
    const finished = await buy(exchange, { customer: good.customer })
    const unpaid = await readyToPay(exchange)
    const unopened = await create(exchange)
    for (const { id } of [finished, unpaid, unopened]) await erase(id)

    for (const { id, redirect_url: page } of [finished, unpaid, unopened]) {
      const base = `/v1/sandbox/transaction/${id}`
      const answers = [
        await exchange.api<Refused>(`/v1/transaction/${id}`),
        await exchange.api<Refused>(`/v1/transaction/${id}`, { key: exchange.sandbox.public_key }),
        await exchange.api<Refused>(`${base}/checkout`, { body: {} }),
        await exchange.api<Refused>(`${base}/deposit`, { body: {} }),
        await exchange.api<Refused>(`${base}/rail-event`, { body: { type: 'decline' } }),
      ]
      for (const { status, body } of answers) assert.deepEqual([status, body.code], [409, 'CONFLICT'])
      for (const path of [page, page.replace('/checkout', '/checkout/status')]) {
        const answer = await fetch(path)
        assert.equal(answer.status, 404)
        assert.ok(!(await answer.text()).includes('gone@example.com'))
      }
    }
    await assertBooksHold(exchange)
  })

  it('others go on, even those whose work is done in one batch with it', async () => {
    const gone = await readyToPay(exchange)
    const others = await Promise.all(Array.from({ length: 4 }, () => readyToPay(exchange)))
    const paid = await readyToPay(exchange)
    await erase(gone.id)
    await lookup(
      exchange,
      `with deadline as (update transactions set expires_at = $1 where status = 'waiting_for_deposit' returning id)
       update jobs set run_at = $1 from deadline where kind = 'transaction.deadline' and key = deadline.id::text`,
      [gone.expires_at],
    )
    await pay(exchange, paid.id)
    await arrive(exchange, paid.id, 'finished')
    await advance(exchange, 'PT31M')
    for (const { id } of others) await arrive(exchange, id, 'expired')
    await assertBooksHold(exchange)
  })

  it('what was answered before is not told again by a process that never knew the person', async (t) => {
    const first = await exchange.api<{ id: string }>('/v1/transaction', { body: good, headers })
    await erase(first.body.id)
    const twin = await startTwin(exchange, { LOG_LEVEL: 'fatal', ROLES: 'api' })
    t.after(() => twin.stop())

    const answer = await fetch(`${twin.url}/v1/transaction`, {
      method: 'POST',
      headers: { ...headers, 'x-api-key': exchange.sandbox.secret_key, 'content-type': 'application/json' },
      body: JSON.stringify(good),
    })
    assert.deepEqual([answer.status, ((await answer.json()) as Refused).code], [409, 'CONFLICT'])
  })
})
