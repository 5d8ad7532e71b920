import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { findOrders } from '../../src/exchange/reports/find-orders.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { buy, lookup, readyToPay } from '../support/journey.ts'
import { typedAt } from '../support/page-forms.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx

describe('the search over all orders', () => {
  it('filters before it cuts a search off, and says when it did', async () => {
    const older = await buy(exchange, { from_amount: '141.42' })
    const newer = await readyToPay(exchange, { from_amount: '141.42' })
    const search = { text: '141.42', page: 1, limit: 10, byEmail: true }
    const narrow = { customers: 1, orders: 1 }
    const domain = newer.email?.split('@')[1] ?? assert.fail('the order has no e-mail address')
    const idsOf = (page: { orders: { publicId: bigint }[] }) => page.orders.map(({ publicId }) => String(publicId))
    const cut = await findOrders(ctx(), search, narrow)
    assert.deepEqual([idsOf(cut), cut.cut], [[newer.id], ['amounts']])
    const finished = await findOrders(ctx(), { ...search, status: 'finished' }, narrow)
    assert.deepEqual([idsOf(finished), finished.cut], [[older.id], []])
    const byEmail = await findOrders(ctx(), { ...search, text: domain }, narrow)
    assert.deepEqual([byEmail.orders.length, byEmail.cut], [1, ['customers']])
    const elsewhere = await findOrders(ctx(), { ...search, text: domain, partnerId: 7n }, narrow)
    assert.deepEqual([idsOf(elsewhere), elsewhere.cut], [[], []])
    assert.deepEqual((await findOrders(ctx(), search)).cut, [])
    assert.deepEqual((await findOrders(ctx(), { ...search, text: 'not an amount' }, narrow)).cut, [])

    await lookup(
      exchange,
      `with erased as (insert into data_keys (id, erased_at) values (1, now()) returning id)
       insert into partner_customers select (jsonb_populate_record(null::partner_customers, to_jsonb(customer)
         || jsonb_build_object('id', customer.id + number, 'data_key_id', erased.id, 'email_hash', '\\x' || lpad(to_hex(number), 64, '0')))).*
       from (select * from partner_customers where trigrams is not null order by id desc limit 1) as customer,
         generate_series(1, 1000) as number, erased`,
      [],
    )
    const signedIn = await fetch(`${exchange.url}/console/sign-in`, {
      method: 'POST',
      redirect: 'manual',
      body: typedAt('/console/sign-in', exchange.sandbox.operator),
    })
    const cookie = signedIn.headers.get('set-cookie')?.split(';')[0] ?? assert.fail('the operator could not sign in')
    const ask = (path: string) => fetch(exchange.url + path, { headers: { cookie } })
    const page = await ask(`/console/orders?q=${domain}`)
    assert.match(await page.text(), /Only 1,000 customers with a similar e-mail address were searched/)
    const file = await ask(`/console/orders.csv?q=${domain}`)
    assert.match(file.headers.get('content-disposition') ?? '', /orders-incomplete\.csv/)
    assert.match(await file.text(), /\r\nINCOMPLETE,"?Only 1,000 customers [^\r]+,{12}\r\n$/)
    const whole = await ask('/console/orders.csv?q=141.42')
    assert.match(whole.headers.get('content-disposition') ?? '', /"orders\.csv"/)
    assert.doesNotMatch(await whole.text(), /INCOMPLETE/)
  })
})
