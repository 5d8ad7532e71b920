import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { tidOf } from '../support/checkout-link.ts'
import { type Forms, formsOn } from '../support/checkout-forms.ts'
import { codeFor, someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, owed, pay, railEvent, read, readyToPay, seen } from '../support/journey.ts'

let exchange: Exchange
let forms: Forms
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  forms = formsOn(exchange)
})
after(() => exchange.stop())

const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const pageOf = async (id: string) => `${exchange.url}/en/checkout?tid=${await tidOf(exchange, id)}`

/** The customer of an order in a browser of their own, who has proven the e-mail address there. */
async function customerOf({ id, email }: TransactionRecord) {
  const url = await pageOf(id)
  await forms.post(`${url}&ask=proof`, { do: 'send' })
  const proven = await forms.post(`${url}&ask=proof`, { do: 'code', code: await codeFor(exchange, email ?? '') })
  const headers = { cookie: (proven.headers.get('set-cookie') ?? '').split(';')[0] ?? '' }
  return {
    see: async () => (await forms.get(url, headers)).text,
    send: async (form: Record<string, string>) => (await forms.post(url, form, headers)).status,
  }
}

/** It has ended, nobody is owed anything, and the books hold. */
async function assertEnded(id: string, status: string): Promise<TransactionRecord> {
  const record = await arrive(exchange, id, status)
  for (const asset of ['EUR-EUR', 'BTC-BTC']) assert.equal(await owed(exchange, id, asset), 0n, asset)
  await assertBooksHold(exchange)
  return record
}

it('less than was agreed is exchanged where its customer says so, for what the page showed or not at all', async () => {
  const { id } = await readyToPay(exchange)
  await pay(exchange, id, { amount: '60' })
  const customer = await customerOf(await arrive(exchange, id, 'on_hold'))
  const atLeast = /name="at_least" value="(\d+)"/.exec(await customer.see())?.[1] ?? assert.fail('no offer')
  await forms.post(await pageOf(id), { do: 'accept', at_least: atLeast })
  assert.equal((await read(exchange, id)).status, 'on_hold', 'nobody else decides')
  await customer.send({ do: 'accept', at_least: String(BigInt(atLeast) + 1n) })
  assert.equal((await read(exchange, id)).status, 'on_hold', 'not for more than there is')
  await Promise.all([customer.send({ do: 'accept', at_least: atLeast }), customer.send({ do: 'refund' })])
  const { status, refunds } = await seen(exchange, id, 'an end', (now) => ['finished', 'refunded'].includes(now.status))
  assert.equal(refunds.length, status === 'refunded' ? 1 : 0, 'one of them, and not both')
  await assertEnded(id, status)
})

it('goes back where its customer says so, and once', async () => {
  const { id } = await readyToPay(exchange)
  await pay(exchange, id, { amount: '60' })
  const customer = await customerOf(await arrive(exchange, id, 'on_hold'))
  await Promise.all([1, 2, 3].map(() => customer.send({ do: 'refund' })))
  const record = await assertEnded(id, 'refunded')
  assert.deepEqual(
    record.refunds.map(({ amount, status }) => [amount, status]),
    [['60', 'paid']],
  )
})

it('a refund that came back goes where its customer says then', async () => {
  const { id } = await readyToPay(exchange, sale)
  await pay(exchange, id, { amount: '0.002' })
  const customer = await customerOf(await arrive(exchange, id, 'on_hold'))
  await customer.send({ do: 'refund' })
  await arrive(exchange, id, 'refunded')
  await railEvent(exchange, id, 'bounce')
  await seen(exchange, id, 'the bounce', ({ status_details: details }) => details === 'address_needed')
  assert.match(await customer.see(), /name="refund_address"/)
  assert.equal(await customer.send({ do: 'refund_address', refund_address: 'bc1qwrong' }), 400)
  await customer.send({ do: 'refund_address', refund_address: someAddress })
  await assertEnded(id, 'refunded')
})

it('an order is cancelled by its customer, by nobody else, and not once it is paid', async () => {
  const order = await readyToPay(exchange)
  await forms.post(await pageOf(order.id), { do: 'cancel' })
  assert.equal((await read(exchange, order.id)).status, 'waiting_for_deposit')
  const customer = await customerOf(order)
  await customer.send({ do: 'cancel' })
  await assertEnded(order.id, 'cancelled')

  const paid = await readyToPay(exchange)
  const other = await customerOf(paid)
  await pay(exchange, paid.id)
  await arrive(exchange, paid.id, 'finished')
  await other.send({ do: 'cancel' })
  await assertEnded(paid.id, 'finished')
})
