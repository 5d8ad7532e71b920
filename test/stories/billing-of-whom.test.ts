import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { switchFeature } from '../../src/exchange/partners/change.ts'
import { findPartners } from '../../src/exchange/partners/known.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { arriveAt, asked, buyOf, inGermany, newEmail, ready, valueIn, valuesIn, whole } from '../support/billing.ts'
import { formsOn, titleOf } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create, lookup } from '../support/journey.ts'
import { until } from '../support/telling.ts'
import { everyTable, isIn } from '../support/traces.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
})
after(() => exchange.stop())

const part = { first_name: whole.first_name, city: whole.city }

describe('billing_info', () => {
  it('is one partner’s: another partner’s checkout is not filled with what that one passed', async () => {
    const email = newEmail()
    await buyOf(exchange, email, whole)
    const key = exchange.sandbox.second_partner.secret_key
    const partnerId = BigInt(exchange.sandbox.second_partner.partner_id)
    const { ctx } = exchange.service.composition
    await switchFeature(ctx, partnerId, { feature: 'billing_info', on: true }, 'test')
    const customer = { ip: inGermany, contact_info: { email }, billing_info: { region: 'Utrecht' } }
    const body = { customer, payout_info: { payout_address: someAddress } }
    await until(async () => (await create(exchange, body, { key })).warnings.length === 0)
    const order = await create(exchange, body, { key })
    const page = await (await arriveAt(exchange, order.redirect_url, email, key)).get()
    assert.equal(titleOf(page), asked)
    for (const text of [whole.last_name, whole.street_address, whole.city]) assert.ok(!page.text.includes(text), text)
    await switchFeature(ctx, partnerId, { feature: 'billing_info', on: false }, 'test')
    await until(async () => (await create(exchange, body, { key })).warnings.length === 1)
    // What the interface knows of an account and what the checkout does are read apart, each within two seconds.
    const known = async () => (await findPartners(ctx, [partnerId])).get(partnerId)?.settings.features.billing_info
    await until(async () => (await known()) === false)
    const off = await create(exchange, body, { key })
    assert.equal(
      titleOf(await (await arriveAt(exchange, off.redirect_url, email, key)).get()),
      ready,
      'switched off: nothing is filled in',
    )
  })

  it('without an e-mail stays with its transaction', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, undefined, part)
    const { get } = await arriveAt(exchange, order.redirect_url, email)
    const { text } = await get()
    assert.equal(valueIn(text, 'first_name'), undefined, 'what was passed is not asked for')
    assert.ok(!text.includes(part.first_name), 'and not shown: the partner did not say whose it is')
    const later = await buyOf(exchange, email)
    assert.equal(titleOf(await (await arriveAt(exchange, later.redirect_url, email)).get()), ready)
  })

  it('is shown only after the e-mail is proven', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, email, whole)
    for (const ask of ['', '&ask=billing', '&ask=proof', '&ask=email']) {
      const { text } = await formsOn(exchange).get(order.redirect_url + ask)
      for (const value of Object.values(whole)) if (value !== 'NL') assert.ok(!text.includes(value), value)
    }
    const form = await formsOn(exchange).post(`${order.redirect_url}&ask=billing`, { do: 'billing', ...whole })
    assert.ok(!form.text.includes(whole.last_name))

    const later = await buyOf(exchange, email)
    const kept = await (await arriveAt(exchange, later.redirect_url, email)).get('billing')
    assert.deepEqual(valuesIn(kept.text), whole, 'it is kept for its own address')
  })

  it('is in no record, whichever key reads it', async () => {
    const order = await buyOf(exchange, newEmail(), { ...whole, date_of_birthday: '23.04.1987' })
    for (const key of [exchange.sandbox.secret_key, exchange.sandbox.public_key]) {
      const { body } = await exchange.api(`/v1/transaction/${order.id}`, { key })
      const text = JSON.stringify([body, order])
      for (const value of [whole.last_name, whole.street_address]) assert.ok(!text.includes(value), value)
    }
  })
})

describe('billing_info is off by default', () => {
  it('and then ignored, not validated, not stored, not asked for, and warned about', async () => {
    const key = exchange.sandbox.second_partner.secret_key
    const email = newEmail()
    const billing = { ...whole, first_name: 'Ignatius', gender: 7, date_of_birthday: [], last_name: 'Neverstored' }
    const customer = { ip: inGermany, contact_info: { email }, billing_info: billing }
    const body = { customer, payout_info: { payout_address: someAddress } }
    const order = await create(exchange, body, { key })
    assert.deepEqual(
      order.warnings.map(({ code, path }) => [code, path]),
      [['FEATURE_NOT_ENABLED', 'customer.billing_info']],
    )
    const health = await exchange.api<{ healthy: boolean; warnings: TransactionRecord['warnings'] }>(
      '/v1/transaction/health',
      { body: { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC', ...body }, key },
    )
    assert.deepEqual([health.body.healthy, health.body.warnings], [true, order.warnings])
    const { get } = await arriveAt(exchange, order.redirect_url, email, key)
    const page = await get()
    assert.equal(titleOf(page), ready)
    assert.ok(!page.text.includes('Neverstored') && !page.text.includes('billing'))
    assert.notEqual(titleOf(await get('billing')), asked)

    const { ctx } = exchange.service.composition
    const [row] = await ctx.db.sql<{ id: bigint; personal: Buffer; data_key_id: bigint }>`
      select id, personal, data_key_id from partner_customers where id = ${BigInt(order.customer_id ?? '')}`
    assert(row)
    const dataKey = await ctx.keyring.get(ctx.db, row.data_key_id)
    assert.deepEqual(dataKey.open(row.personal, `partner_customers:${row.id}`), { email })
  })
})

describe('kept billing information', () => {
  it('survives creates of one address at the same time, each field of each', async () => {
    const email = newEmail()
    await buyOf(exchange, email, { gender: 'F' })
    const each = Object.entries(whole).map(([name, value]) => buyOf(exchange, email, { [name]: value }))
    await Promise.all(each)
    const later = await buyOf(exchange, email)
    const { get } = await arriveAt(exchange, later.redirect_url, email)
    assert.deepEqual(valuesIn((await get('billing')).text), whole)
  })

  it('is gone with the person, who begins anew', async () => {
    const email = newEmail()
    const order = await buyOf(exchange, email, whole)
    await lookup(
      exchange,
      `update data_keys set wrapped = null, erased_at = now()
       where id in (select data_key_id from partner_customers where id = $1)`,
      [order.customer_id],
    )
    const again = await buyOf(exchange, email, part)
    const page = await (await arriveAt(exchange, again.redirect_url, email)).get()
    assert.deepEqual([titleOf(page), valueIn(page.text, 'first_name')], [asked, part.first_name])
    assert.ok(!page.text.includes(whole.last_name))
  })

  it('stands in no table in plain text, nor in any address', async () => {
    const tables = await everyTable(exchange.ownerUrl)
    assert.ok(tables.size > 25, 'everything was read')
    const { country_alpha_2: _, apt_number: __, ...hidden } = whole
    for (const [name, dump] of tables) {
      for (const text of [...Object.values(hidden), 'Neverstored', '23.04.1987']) {
        assert.ok(!isIn(dump, text), `${name} holds ${text}`)
      }
    }
  })
})
