import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { customerLimit } from '../../src/exchange/customers/customer-limit.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { arriveAt, buyOf, valueIn } from '../support/billing.ts'
import { type Answer, type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, create, lookup, pay, type Refused } from '../support/journey.ts'
import { importNew, newEmail, share, tokenFor } from '../support/shared-identity.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

type Checked = TransactionRecord & Refused

const order = (email: string, from_amount: number, key?: string): Promise<TransactionRecord> =>
  create(
    exchange,
    { from_amount, customer: { contact_info: { email } }, deposit: { payment_category: 'SEPA' } },
    key === undefined ? {} : { key },
  )
const checkout = ({ id }: Pick<TransactionRecord, 'id'>, key?: string): Promise<Answer<Checked>> =>
  exchange.api<Checked>(`/v1/sandbox/transaction/${id}/checkout`, { body: {}, ...(key === undefined ? {} : { key }) })

const told = ({ status, body }: Answer<Checked>) => [status, body.code ?? body.status, body.errors[0]?.code]
const ready = [201, 'waiting_for_deposit', undefined]
const over = [403, 'FORBIDDEN', 'CUSTOMER_LIMIT']

/** The proven customer of a transaction, and its row. */
async function rowOf({ id }: TransactionRecord): Promise<{ id: bigint; customer: bigint | null }> {
  const [row] = await lookup<{ id: string; customer: string | null }>(
    exchange,
    'select id, customer_id as customer from transactions where public_id = $1',
    [id],
  )
  assert.ok(row)
  return { id: BigInt(row.id), customer: row.customer === null ? null : BigInt(row.customer) }
}

const left = async (of: TransactionRecord, besides: bigint | null = null): Promise<bigint | undefined> => {
  const { ctx } = exchange.service.composition
  const person = { customerId: (await rowOf(of)).customer, partnerId: BigInt(of.partner_id) }
  return customerLimit(ctx, ctx.db, person, ctx.clock.now(), { besides })
}

/** Somebody whom no check can let exchange more. */
async function rejected(): Promise<string> {
  const email = newEmail()
  await importNew(exchange, 'rejected', email)
  return email
}

describe('what a customer may exchange', () => {
  it('is judged at the checkout, and never by create or health', async () => {
    const email = await rejected()
    assert.deepEqual(told(await checkout(await order(email, 9_000))), ready)
    const second = await order(email, 12_000)
    const { body: health } = await exchange.api<{ healthy: boolean; errors: unknown[] }>('/v1/transaction/health', {
      body: { from_amount: 12_000, from_currency: 'EUR', to_currency: 'BTC', customer: { contact_info: { email } } },
    })
    assert.deepEqual([second.status, health.healthy, health.errors], ['new', true, []])
    const refused = await checkout(second)
    assert.deepEqual(told(refused), over)
    assert.equal((await exchange.api<Checked>(`/v1/transaction/${second.id}`)).body.deposit_type, 'SEPA_1')
    assert.deepEqual(told(await checkout(await order(email, 11_000))), ready, 'what is left can be had')
    assert.deepEqual(told(await checkout(await order(newEmail(), 14_000))), ready, 'another customer has all')
  })

  it('counts the orders of the same proven address with every partner', async () => {
    const email = await rejected()
    const key = exchange.sandbox.second_partner.secret_key
    assert.deepEqual(told(await checkout(await order(email, 9_000), undefined)), ready)
    assert.deepEqual(told(await checkout(await order(email, 9_000, key), key)), ready)
    assert.deepEqual(told(await checkout(await order(email, 3_000))), over)
  })

  it('is more for somebody who is verified, whenever that is known, and has an end', async () => {
    const email = newEmail()
    const imported = await share(exchange, {
      kyc_shared_token: tokenFor('approved'),
      kyc_shared_token_provider: 'sumsub',
      email,
    })
    assert.equal(imported.status, 201)
    for (let orders = 0; orders < 7; orders += 1) {
      assert.deepEqual(told(await checkout(await order(email, 14_000))), ready)
    }
    assert.deepEqual(told(await checkout(await order(email, 9_000))), over)
  })

  it('cannot be taken twice by two orders at once', async () => {
    const email = await rejected()
    await checkout(await order(email, 100))
    const orders = await Promise.all([1, 2, 3, 4].map(() => order(email, 11_000)))
    const outcomes = (await Promise.all(orders.map((one) => checkout(one)))).map(({ status }) => status)
    assert.deepEqual(
      outcomes.toSorted((one, other) => one - other),
      [201, 403, 403, 403],
    )
  })

  it('bounds what is exchanged of an overpayment: the rest goes back by itself', async () => {
    const email = newEmail()
    await checkout(await order(email, 9_000))
    const { id } = await order(email, 8_000)
    assert.deepEqual(told(await checkout({ id })), ready)
    await pay(exchange, id, { amount: '14000' })
    const record = await arrive(exchange, id, 'finished')
    assert.deepEqual([record.from_amount, record.expected_from_amount], ['14000', '11000'])
    assert.deepEqual(
      record.refunds.map(({ amount, status }) => [amount, status]),
      [['3000', 'paid']],
    )
  })

  it('is told to whoever settles, with and without the transaction itself; money that came counts as open orders do', async () => {
    const email = newEmail()
    const first = await order(email, 5_000)
    assert.equal(await left(first), undefined, 'nobody has proven an address')
    await checkout(first)
    const { id } = await rowOf(first)
    assert.deepEqual([await left(first), await left(first, id)], [15_000_00n, 20_000_00n])
    await pay(exchange, first.id)
    await arrive(exchange, first.id, 'finished')
    assert.deepEqual([await left(first), await left(first, id)], [15_000_00n, 20_000_00n])

    const second = await order(email, 3_000)
    await checkout(second)
    assert.equal(await left(first), 12_000_00n)
    await advance(exchange, 'P11D')
    assert.equal((await exchange.api<Checked>(`/v1/transaction/${second.id}`)).body.status, 'expired')
    assert.equal(await left(first), 20_000_00n, 'an order that expired uses nothing, and a day is over')
  })
})

describe('an imported identity', () => {
  const names = ['first_name', 'last_name', 'date_of_birthday']
  const filled = async (email: string) => {
    const { redirect_url: url } = await buyOf(exchange, email, { city: 'Utrecht' })
    const { get } = await arriveAt(exchange, url, email)
    const { text } = await get()
    return names.map((name) => valueIn(text, name))
  }

  it('fills billing information once the address is proven, for the partner that has passed it', async () => {
    const email = newEmail()
    await importNew(exchange, 'approved', email)
    const [first, last, birthday] = await filled(email)
    assert.match(first ?? '', /^\p{L}/u)
    assert.match(last ?? '', /^\p{L}/u)
    assert.match(birthday ?? '', /^\d\d\.\d\d\.19\d\d$/)
  })

  it('that is not approved fills nothing', async () => {
    const email = newEmail()
    await importNew(exchange, 'review', email)
    assert.deepEqual(await filled(email), ['', '', undefined])
  })

  it('stands below what the partner passes as fields', async () => {
    const email = newEmail()
    await importNew(exchange, 'approved', email)
    const { redirect_url: url } = await buyOf(exchange, email, { first_name: 'Wilhelmina' })
    const { get } = await arriveAt(exchange, url, email)
    assert.equal(valueIn((await get()).text, 'first_name'), 'Wilhelmina')
  })
})
