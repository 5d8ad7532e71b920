import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'

import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import { holdTransaction } from '../../src/exchange/operations/staff.ts'
import { listOpenPayouts } from '../../src/exchange/settlement/approval.ts'
import { listEndpoints } from '../../src/exchange/webhooks/endpoint.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, lookup, pay, read, readyToPay, seen } from '../support/journey.ts'
import { actionOf, formsIn } from '../support/page-forms.ts'
import { putInForce } from '../support/policies.ts'
import { formSender } from '../support/send-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(ctx(), { kind: 'approvals', document })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const browser = staffBrowser(() => exchange)
const { ask, as, press } = browser
const { formsOf, send } = formSender(browser)
const transfer = (amount: string) => ({ from_amount: amount, deposit: { payment_category: 'SEPA' } })

describe("an order's page", () => {
  it('tells support why a colleague has put it on hold, and who', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const after = await send(path, await as('compliance'), { action: 'hold', reason: 'The invoice is missing.' })
    assert.match(after, /role="status"[^>]*>\s*The order is on hold\./)
    const shown = (await ask(path, { cookie: await as('support') })).body
    assert.match(shown, /What was decided, and why.*The compliance.*The invoice is missing\./s)
    assert.ok(!shown.includes('Who did what'), 'the audit is not for support')
  })

  it('says before a refund what is left, what sending costs and what the customer gets, and afterwards what happened', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '120' })
    await holdTransaction(ctx(), BigInt(id), { reason: 'A test asks for it.', actor: 'cli:test' })
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '120')
    const path = `/console/orders/${id}`
    const cookie = await as('support')
    assert.match(
      (await ask(path, { cookie })).body,
      /Left: 120 EUR\. Sending it costs the customer nothing\. The customer gets 120 EUR\./,
    )
    const after = await send(path, cookie, { action: 'refund', amount: '20.00', reason: 'Asked for.' })
    assert.match(after, /role="status"[^>]*>\s*20 EUR goes back\./)
    assert.match(after, /Left: 100 EUR\./)
  })

  it('says before a refund of coins what sending it costs, which is what is kept of it then', async () => {
    const order = { from_amount: '0.002', from_currency: 'BTC', to_currency: 'EUR' }
    const { id } = await readyToPay(exchange, order)
    await holdTransaction(ctx(), BigInt(id), { reason: 'A test asks for it.', actor: 'cli:test' })
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '0.002')
    const path = `/console/orders/${id}`
    const cookie = await as('support')
    const said = /Left: 0\.002 BTC\. Sending it costs (0\.\d+) BTC\. The customer gets (0\.\d+) BTC\./
    const [, cost, gets] = said.exec((await ask(path, { cookie })).body) ?? assert.fail('nothing is said of the cost')
    await send(path, cookie, { action: 'refund', reason: 'Asked for.' })
    const { refunds } = await seen(exchange, id, 'the refund', ({ refunds: all }) => all[0]?.status === 'paid')
    assert.deepEqual([refunds[0]?.amount, (Number(cost) + Number(gets)).toFixed(3)], [gets, '0.002'])
  })

  it('offers only what is possible now, by the rules of what does it', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const cookie = await as('admin')
    const actions = async () =>
      formsIn((await ask(path, { cookie })).body, path)
        .map(actionOf)
        .filter((name) => name !== '')
    assert.deepEqual(await actions(), ['hold', 'cancel', 'note'])
    await send(path, cookie, { action: 'hold', reason: 'Looks odd.' })
    assert.deepEqual(await actions(), ['release', 'cancel', 'note'])
    await send(path, cookie, { action: 'cancel', reason: 'Asked for.' })
    assert.deepEqual(await actions(), ['note'])
    assert.equal((await read(exchange, id)).status, 'cancelled')
  })

  it('shows who approves a refund which colleague has ordered it, why, how much and where it goes', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '700' })
    await holdTransaction(ctx(), BigInt(id), { reason: 'A test asks for it.', actor: 'cli:test' })
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '700')
    const path = `/console/orders/${id}`
    await send(path, await as('compliance'), { action: 'refund', amount: '600.00', reason: 'Asked for by telephone.' })
    await until(
      async () => (await listOpenPayouts(ctx(), { waiting: true })).some((one) => String(one.public_id) === id),
      'a refund that waits for approval',
    )
    const { body } = await ask('/console/money', { cookie: await as('finance') })
    const [, shown = ''] =
      new RegExp(`<article[^>]*>((?:(?!</article>)[^])*/console/orders/${id}[^]*?)</article>`).exec(body) ?? []
    for (const fact of [
      /600/,
      /Customer/,
      /Ordered by[^]*compliance@example\.com: “Asked for by telephone\.”/,
      /Goes to/,
    ])
      assert.match(shown, fact)
  })

  it('has the form that approves its payout, for two operators', async () => {
    const { id } = await readyToPay(exchange, transfer('600'))
    await pay(exchange, id)
    await until(
      async () => (await listOpenPayouts(ctx(), { waiting: true })).some((one) => String(one.public_id) === id),
      'a payout that waits for approval',
    )
    const path = `/console/orders/${id}`
    const first = await send(path, await as('finance'), { action: 'approve' })
    assert.match(first, /role="status"[^>]*>\s*Approved\. It waits for another operator\./)
    await send(path, await as('admin'), { action: 'approve' })
    await arrive(exchange, id, 'finished')
  })
})

describe('money without an order', () => {
  it('shows what it came with, and is matched, returned and written off with forms', async () => {
    const { id } = await readyToPay(exchange, transfer('250'))
    const reference = makeReference(createHash('sha256').update(id).digest())
    const deposit = await strayDeposit(exchange, () => pay(exchange, id, { reference }))
    const cookie = await as('finance')
    const path = '/console/money'
    const { body } = await ask(path, { cookie })
    assert.ok(body.includes(reference))
    assert.match(body, /<th[^>]*>Payer<\/th>/)
    assert.match(body, /Left: 250 EUR\. Sending it costs the sender nothing\. The sender gets 250 EUR\./)
    assert.deepEqual(await formsOf(path, cookie, 'writeoff', String(deposit)), [], 'it is worth sending back')
    const [back] = await formsOf(path, cookie, 'return', String(deposit))
    assert.ok(back && 'refund_address' in back, 'it can go elsewhere')
    const wrong = (await formsOf(path, cookie, 'match', String(deposit)))[0] ?? assert.fail('no form')
    const refused = await ask(path, { cookie, form: { ...wrong, transaction: 'this one', reason: 'Found it.' } })
    assert.equal(refused.status, 400)
    assert.match(refused.body, /value="this one"[^>]*aria-invalid="true"|aria-invalid="true"[^>]*value="this one"/)
    const match = { action: 'match', about: String(deposit), transaction: id, reason: 'The customer called.' }
    assert.match(await send(path, cookie, match), /The money belongs to order/)
    await arrive(exchange, id, 'finished')
    assert.deepEqual(await formsOf(path, await as('support'), 'match'), [], 'support may not')
  })
})

describe('what needed a terminal', () => {
  it('is done with forms: an endpoint is paused, resumed, sent everything again and removed', async () => {
    await exchange.api('/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hook' } })
    const partner = exchange.sandbox.partner_id
    const path = `/console/partners/${partner}`
    const cookie = await as('admin')
    const endpoint = async () => (await listEndpoints(ctx(), BigInt(partner)))[0]
    const about = String((await endpoint())?.id)
    await send(path, cookie, { action: 'pause', about })
    assert.equal((await endpoint())?.status, 'paused')
    await send(path, cookie, { action: 'resume', about })
    assert.equal((await endpoint())?.status, 'active')
    const since = { action: 'replay', about, since: '2026-01-01' }
    assert.match(await send(path, cookie, since), /The events since 2026-01-01T00:00:00\.000Z are sent again\./)
    assert.equal((await lookup(exchange, 'select 1 from webhook_replays where endpoint_id = $1', [about])).length, 1)
    await lookup(exchange, `update webhook_endpoints set status = 'disabled' where id = $1`, [about])
    const pausing = await press(path, cookie, { action: 'pause', endpoint: about })
    assert.equal(pausing.status, 409, 'what its page does not offer is not done either')
    assert.equal((await endpoint())?.status, 'disabled')
    await send(path, cookie, { action: 'remove', about })
    assert.equal(await endpoint(), undefined)
  })
})
