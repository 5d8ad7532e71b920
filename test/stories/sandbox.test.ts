import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { refusals, type RefusalCode } from '../../src/platform/lib/refusal.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  checkOut,
  create,
  lookup,
  pay,
  read,
  readyToPay,
  type Refused,
  statusesOf,
} from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'
import { table } from '../support/table.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  stopMarket(exchange)
})
after(() => exchange.stop())

describe('a test customer', () => {
  it('gives what the checkout still asks, and what a partner has passed is used as it is', async () => {
    const email = 'passed@example.com'
    const { id } = await create(exchange, { customer: { contact_info: { email } } })
    const ready = await checkOut(exchange, id, { country: 'FR' })
    assert.deepEqual([ready.status, ready.email, ready.location], ['waiting_for_deposit', email, 'FR'])
    assert.deepEqual(await checkOut(exchange, id), ready, 'asked again, nothing changes')
  })

  it('may pay in another currency, less, more, or under another reference', async () => {
    const [dollars, tether, less, elsewhere] = [
      await readyToPay(exchange),
      await readyToPay(exchange),
      await readyToPay(exchange),
      await readyToPay(exchange),
    ]
    await pay(exchange, dollars.id, { currency: 'usd' })
    await pay(exchange, tether.id, { currency: 'USDT', network: 'trx', amount: '12.5' })
    await pay(exchange, less.id, { amount: 98.99 })
    await pay(exchange, elsewhere.id, { reference: 'of-nobody', amount: '7' })

    assert.equal((await arrive(exchange, dollars.id, 'on_hold')).status_details, 'wrong_asset')
    assert.equal(await bookBalance(exchange, `customer:${dollars.id}`, 'USD-USD'), -10_000n)
    await arrive(exchange, tether.id, 'on_hold')
    assert.equal(await bookBalance(exchange, `customer:${tether.id}`, 'USDT-TRX'), -12_500_000n)
    assert.equal((await arrive(exchange, less.id, 'on_hold')).from_amount, '98.99')
    assert.equal((await read(exchange, elsewhere.id)).status, 'waiting_for_deposit')
    await assertBooksHold(exchange)
  })

  it('who pays twice pays once', async () => {
    const { id } = await readyToPay(exchange)
    const paid = await Promise.all(Array.from({ length: 5 }, () => pay(exchange, id)))
    assert.equal(new Set(paid.map(({ deposit_id }) => deposit_id)).size, 1)
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '100')
  })
})

describe('the controls', () => {
  const rows = table(`
    control      body                                        code                   path
    checkout     {"email": "nobody"}                         BAD_REQUEST            email
    checkout     {"email": 5}                                BAD_REQUEST            email
    checkout     {"country": "XX"}                           BAD_REQUEST            country
    checkout     {"country": "KP"}                           COUNTRY_NOT_SUPPORTED  country
    checkout     {"payout_address": "x"}                     BAD_REQUEST            payout_address
    checkout     []                                          BAD_REQUEST            -
    checkout     5                                           BAD_REQUEST            -
    deposit      {}                                          CONFLICT               -
    rail-event   {}                                          BAD_REQUEST            type
    rail-event   {"type": 5}                                 BAD_REQUEST            type
    rail-event   {"type": "earthquake"}                      BAD_REQUEST            type
    rail-event   {"type": "timeout"}                         CONFLICT               -
    rail-event   {"type": "decline"}                         CONFLICT               -
  `)
  const depositRows = table(`
    body                                                     path
    {"amount": "x"}                                          amount
    {"amount": 0}                                            amount
    {"amount": "-5"}                                         amount
    {"amount": 1.005}                                        amount
    {"amount": [1]}                                          amount
    {"currency": "XXX"}                                      currency
    {"network": "TRX"}                                       currency
    {"currency": "ETH", "amount": "999999999999999999999"}   amount
    {"reference": 5}                                         reference
  `)

  it('refuse what makes no sense, saying where', async () => {
    const { id } = await create(exchange)
    const refuse = async (control: string, body: string, code: string, path: string) => {
      const { status, body: refused } = await exchange.api<Refused>(`/v1/sandbox/transaction/${id}/${control}`, {
        body,
      })
      const told = [status, refused.code, refused.errors[0]?.path ?? '-']
      assert.deepEqual(told, [refusals[code as RefusalCode], code, path], `${control} ${body}`)
    }
    for (const { control = '', body = '', code = '', path = '' } of rows) await refuse(control, body, code, path)
    assert.equal((await read(exchange, id)).status, 'new')
    await checkOut(exchange, id)
    for (const { body = '', path = '' } of depositRows) await refuse('deposit', body, 'BAD_REQUEST', path)
    assert.equal((await read(exchange, id)).from_amount, '0')
  })
})

describe('the processor', () => {
  it('is asked before anything expires: a payment whose callback was lost is found', async () => {
    const { id } = await readyToPay(exchange)
    await lookup(
      exchange,
      `insert into sandbox.card_payments (id, reference, asset, amount, merchant_return, state, attempts, created_at)
       select 77, reference, asset, deposit_instructions.amount, '', 'captured', 1, now()
       from deposit_instructions join transactions on transactions.id = transaction_id where public_id = $1`,
      [id],
    )
    await advance(exchange, 'PT31M')
    const record = await arrive(exchange, id, 'finished')
    assert.equal(statusesOf(record).includes('expired'), false)
    await assertBooksHold(exchange)
  })
})
