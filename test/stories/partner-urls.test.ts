import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { setPartner } from '../../src/exchange/partners/change.ts'
import { readTransactionWhole } from '../../src/exchange/transactions/load.ts'
import { postForm, signedCalculator } from '../support/calculator.ts'
import { idBehind } from '../support/checkout-link.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { unreadable } from '../support/url-samples.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const texts = unreadable.filter((text) => text !== '')

const buy = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }
const createdWith = async (failed: string) =>
  (await exchange.api('/v1/transaction', { body: { ...buy, redirects: { failed } } })).status

it('an address that programs read differently is taken at no door: redirects, webhooks, origins, the calculator', async () => {
  const { composition } = exchange.service
  for (const text of texts) {
    assert.equal(await createdWith(text), 400, text)
    assert.equal((await exchange.api('/v1/webhook-endpoints', { body: { url: text } })).status, 400, text)
    // White space around an origin in a list of them means nothing.
    if (text !== text.trim()) continue
    const set = setPartner(composition.ctx, BigInt(exchange.sandbox.partner_id), { redirect_origins: text }, 'test')
    await assert.rejects(set, /origins such as https/, text)
  }
  // The calculator leaves out what it cannot take, unless no door takes such a text.
  for (const text of ['//shop.example', 'https:/shop.example', 'javascript:alert(1)']) {
    const path = signedCalculator(exchange, new URLSearchParams({ redirects_failed: text }).toString())
    const answer = await postForm(exchange, path, { do: 'continue', from_amount: '100', edited: 'direct' })
    assert.equal(answer.status, 303, text)
    const id = await idBehind(exchange, answer.headers.get('location') ?? '')
    const order = await readTransactionWhole(composition.ctx, composition.ctx.db, BigInt(id))
    assert.equal(order?.personal.redirects.failed, undefined, text)
  }
})

it('the id of a transaction has no place in the host that customers are sent back to', async () => {
  const tried = ['https://shop$$.example/', 'https://shop.example:8$$/', 'https://shop.example/$$'].map(createdWith)
  assert.deepEqual(await Promise.all(tried), [400, 400, 201])
})

it('an origin is kept in its one spelling, so that a customer is sent back to it however it was written', async () => {
  const { ctx } = exchange.service.composition
  await setPartner(ctx, BigInt(exchange.sandbox.partner_id), { redirect_origins: 'HTTPS://Shop.example:443/' }, 'test')
  assert.equal(await createdWith('https://shop.example/x'), 201)
})

it('an X-address, a tag behind an address and a wallet’s link name one tag, and no other passes with them', async () => {
  const classic = 'rGWrZyQqhTp9Xu7G5Pkayo7bXjH4k4QYpf'
  const tagged = 'XVLhHMPHU98es4dbozjVtdWzVrDjtV8xvjGQTYPiAx6gwDC'
  const made = async (payout_address: string, extra_id: string) => {
    const body = { ...buy, to_currency: 'XRP', payout_info: { payout_address, extra_id } }
    return (await exchange.api('/v1/transaction', { body })).status
  }
  for (const address of [tagged, `${classic}?dt=1`]) {
    const tried = ['', '1', '2', '4294967297'].map((tag) => made(address, tag))
    assert.deepEqual(await Promise.all(tried), [201, 201, 400, 400], address)
  }
})
