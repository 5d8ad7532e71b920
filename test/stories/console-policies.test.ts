import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { fieldsOf } from '../../src/doors/pages/document-fields.ts'
import { kindNames, policyKinds } from '../../src/exchange/policies/kinds.ts'
import { putInForce } from '../support/policies.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance } from '../support/journey.ts'
import { actionOf, formsIn, valuesOf } from '../support/page-forms.ts'
import { makeOperators, type Seen, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
let finance: string
let admin: string
const { ask, as, press } = staffBrowser(() => exchange)
const ctx = () => exchange.service.composition.ctx
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
  finance = await as('finance')
  admin = await as('admin')
})
after(() => exchange.stop())

/** The form of a page as a browser would send it unchanged: every field with its value. */
async function formOf(path: string, cookie: string): Promise<Record<string, string>> {
  const { body } = await ask(path, { cookie })
  const found = formsIn(body, path).find((one) => actionOf(one) === 'try-propose') ?? assert.fail(`${path} has no form`)
  const { csrf: _csrf, once: _once, ...values } = valuesOf(found)
  return values
}

const inWords = ({ body }: Seen): string => body.replaceAll(/<style.*?<\/style>|<[^>]+>/gs, ' ').replaceAll(/\s+/g, ' ')
const feesNow = () => ctx().policies.at(ctx().clock.now(), 'fees')
const cardFee = () => (feesNow().document as { methods: Record<string, string> }).methods.VISA_MC

describe('the policies of the console', () => {
  it('are forms that change nothing when they are sent as they are, for every kind', async () => {
    for (const kind of kindNames) {
      const path = `/console/prices/${kind}`
      const seen = await press(path, finance, { ...(await formOf(path, finance)), action: 'try-propose' })
      assert.equal(seen.status, 200, `${kind}: ${inWords(seen)}`)
      assert.match(inWords(seen), /What would change Nothing changes\./, kind)
    }
  })

  it('show every single value of the shipped documents', () => {
    const ofFees = fieldsOf(policyKinds.fees.schema, feesNow().document)
    assert.ok(ofFees.some(({ path, value }) => path === 'methods.VISA_MC' && value === '2.5%'))
    assert.ok(
      ofFees.some(({ path, value }) => path === 'minimum' && value === ''),
      'what may be added',
    )
    const limits = ctx().policies.at(ctx().clock.now(), 'limits').document
    assert.ok(fieldsOf(policyKinds.limits.schema, limits).some(({ path }) => path === 'unverified.0.max'))
  })

  it('change the card fee from a later day on: preview, proposal and effect', async () => {
    const path = '/console/prices/fees'
    const before = cardFee()
    assert.notEqual(before, '3%')
    const later = new Date(ctx().clock.now().getTime() + 3 * 86_400_000).toISOString().slice(0, 16)
    const form = { ...(await formOf(path, finance)), [`document.methods.VISA_MC`]: '3%', effective_at: later }
    const preview = await press(path, finance, { ...form, reason: 'Cards cost more', action: 'try-propose' })
    assert.match(inWords(preview), /methods\.VISA_MC changes from 2\.5% to 3%\./)
    assert.match(inWords(preview), /The last 30 days under it/)
    assert.equal(feesNow().version, 1, 'a preview stores nothing')

    const document = JSON.stringify({ ...(feesNow().document as object), methods: { ...methods(), VISA_MC: '3%' } })
    const sent = await press(path, finance, {
      document,
      effective_at: later,
      reason: 'Cards cost more',
      action: 'propose',
    })
    assert.deepEqual([sent.status, sent.headers.get('location')], [303, path])
    assert.equal(cardFee(), before)
    assert.match(inWords(await ask(path, { cookie: finance })), /Version 2 is scheduled/)

    // The next change is made from what is approved, and follows it.
    const next = await formOf(path, finance)
    assert.deepEqual([next.based_on, next[`document.methods.VISA_MC`]], ['2', '3%'])
    assert.match(
      inWords(await press(path, finance, { ...next, action: 'try-propose' })),
      /What would change Nothing changes/,
    )
    const tooSoon = await press(path, finance, { ...next, effective_at: '', action: 'try-propose' })
    assert.equal(tooSoon.status, 409)
    await advance(exchange, 'P3DT1M')
    assert.equal(cardFee(), '3%')
  })

  it('refuse what loses money with the amount, and what is not valid with its place', async () => {
    const path = '/console/prices/fees'
    const form = await formOf(path, finance)
    const lossy = await press(path, finance, {
      ...form,
      [`document.service.buy`]: '0%',
      [`document.spread`]: '0%',
      [`document.methods.VISA_MC`]: '0%',
      action: 'try-propose',
    })
    assert.match(inWords(lossy), /This cannot be proposed: .* would lose [\d.]+ EUR\./)
    const invalid = await press(path, finance, { ...form, [`document.service.buy`]: 'a lot', action: 'try-propose' })
    assert.match(inWords(invalid), /service\.buy must match pattern/)
    assert.match(invalid.body, /value="a lot"/, 'what was typed is there')
    const broken = await press(path, finance, { document: '{', action: 'try-propose' })
    assert.equal(broken.status, 400)
  })

  it('refuse a change of a version that is not in force any more', async () => {
    const path = '/console/prices/slippage'
    const form = await formOf(path, finance)
    await putInForce(ctx(), { kind: 'slippage', document: { bound: '3%' } })
    const seen = await press(path, finance, { ...form, [`document.bound`]: '1%', action: 'try-propose' })
    assert.equal(seen.status, 409)
  })

  it('give a partner its own, and the policy of the house again', async () => {
    const partner = exchange.sandbox.partner_id
    const path = `/console/prices/slippage?partner=${partner}`
    const own = () => ctx().policies.at(ctx().clock.now(), 'slippage', BigInt(partner))
    const change = { partner, document: '{"bound":"1%"}', reason: 'Agreed', action: 'propose' }
    assert.equal((await press(path, finance, change)).headers.get('location'), path)
    assert.deepEqual([own().partnerId, own().document], [BigInt(partner), { bound: '1%' }])
    await press(path, finance, { ...change, document: 'null' })
    assert.equal(own().partnerId, null)
  })

  it('wait for a second operator where the policy asks for one', async () => {
    await putInForce(ctx(), {
      kind: 'approvals',
      document: { payouts: { above: '100000', currency: 'EUR' }, policies: 'two_operators' },
    })
    const path = '/console/prices/slippage'
    await press(path, finance, { document: '{"bound":"4%"}', reason: 'A fast market', action: 'propose' })
    const bound = () => (ctx().policies.at(ctx().clock.now(), 'slippage').document as { bound: string }).bound
    assert.equal(bound(), '3%')
    const waiting = inWords(await ask(path, { cookie: admin }))
    assert.match(waiting, /The finance: A fast market bound changes from 3% to 4%\./)
    const past = /The last 30 days under it, by \d+ orders?: .*Revenue [\d.]+ EUR [\d.]+ EUR/
    assert.match(waiting, past)
    assert.equal((await press(path, finance, { action: 'approve' })).status, 403, 'finance may not approve')
    assert.equal((await press(path, admin, { action: 'approve' })).status, 303)
    assert.equal(bound(), '4%')
    await press(path, admin, { document: '{"bound":"5%"}', reason: 'Faster', action: 'propose' })
    assert.equal((await press(path, admin, { action: 'approve' })).status, 403, 'nobody approves what is their own')
    assert.equal((await press(path, finance, { action: 'reject' })).status, 303)
    assert.equal(bound(), '4%')
    const versions =
      inWords(await ask(path, { cookie: admin }))
        .split('Every version')
        .at(-1) ?? ''
    assert.match(versions, /A fast market Show bound changes from 3% to 4%\./)
    assert.match(versions, past)
  })

  it('keep what was typed where it is refused, and stay on the page of their partner', async () => {
    const path = '/console/prices/slippage'
    const { partner: whose = '', based_on: base = '' } = await formOf(path, finance)
    const typed = { partner: whose, based_on: base, document: '{"bound":"7%"}', reason: ' ', action: 'propose' }
    const refused = await press(path, finance, typed)
    assert.equal(refused.status, 400)
    assert.match(refused.body, /<textarea[^>]*name="document"[^>]*>\s*\{(&quot;|")bound(&quot;|"):(&quot;|")7%/)
    const partner = exchange.sandbox.partner_id
    const own = `${path}?partner=${partner}`
    await press(own, finance, { partner, document: '{"bound":"2%"}', reason: 'Agreed', action: 'propose' })
    const reject = formsIn((await ask(own, { cookie: admin })).body, path).find((one) => actionOf(one) === 'reject')
    const form = reject ? valuesOf(reject) : assert.fail('no form')
    assert.equal(form.partner, partner)
    assert.equal((await ask(path, { cookie: admin, form })).headers.get('location'), own)
  })

  it('are read by those who may, and changed by no others', async () => {
    const viewer = await as('viewer')
    const page = await ask('/console/prices/fees', { cookie: viewer })
    assert.equal(page.status, 200)
    assert.ok(!page.body.includes('value="try-propose"'))
    for (const action of ['try-propose', 'propose', 'reject', 'approve']) {
      assert.equal((await press('/console/prices/fees', viewer, { action, document: '{}', reason: 'x' })).status, 403)
    }
  })
})

describe('the markets of the console', () => {
  it('are listed, halted and resumed', async () => {
    const path = '/console/prices'
    assert.match(inWords(await ask(path, { cookie: finance })), /BTC\/EUR/)
    assert.equal((await press(path, finance, { action: 'halt', pair: 'BTC/EUR', reason: 'Odd prices' })).status, 303)
    assert.match(inWords(await ask(path, { cookie: finance })), /BTC\/EUR halted[^:]*: Odd prices/)
    assert.equal((await press(path, finance, { action: 'resume', pair: 'BTC/EUR', reason: 'Fine again' })).status, 303)
    assert.equal((await press(path, finance, { action: 'halt', pair: 'BTC/XXX', reason: 'x' })).status, 400)
  })
})

const methods = () => (feesNow().document as { methods: object }).methods
