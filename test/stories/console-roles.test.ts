import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { partNouns, subjectNouns } from '../../src/exchange/audit/nouns.ts'
import { createOperator, disableOperator, listOperators } from '../../src/exchange/operators/operator.ts'
import { readNames } from '../../src/exchange/operators/names.ts'
import { places } from '../../src/doors/console/audit-places.ts'
import { pages } from '../../src/doors/console/pages.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, lookup, pay, readyToPay } from '../support/journey.ts'
import { commandLineOf } from '../support/command.ts'
import { personBrowser } from '../support/person-browser.ts'
import { putInForce } from '../support/policies.ts'
import { makeOperators, password, placeOf, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'off' })
  await makeOperators(exchange)
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const { ask, as, press } = staffBrowser(() => exchange)

/** What people read on a page: neither addresses of links nor values of forms. */
const textOf = (body: string): string =>
  body
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&quot;', '"')

const isFinal = `select 1 from deposits join transactions on transactions.id = transaction_id
  where public_id = $1 and deposits.state = 'final'`

async function held(amount: string): Promise<string> {
  const { id } = await readyToPay(exchange, { from_amount: amount, deposit: { payment_category: 'SEPA' } })
  const admin = await as('admin')
  assert.equal((await press(`/console/orders/${id}`, admin, { action: 'hold', reason: 'A look.' })).status, 303)
  await pay(exchange, id)
  await arrive(exchange, id, 'on_hold')
  // A page that was shown before the payment is final would be about an order that has changed since.
  await until(async () => (await lookup(exchange, isFinal, [id])).length > 0, 'the payment to be final')
  return id
}

describe('support', () => {
  it('refunds up to the limit of the policy, in all of one order, and no more', async () => {
    const document = {
      payouts: { above: null, currency: 'EUR' },
      policies: 'one_operator',
      support_refunds_up_to: '50',
    }
    await putInForce(ctx(), { kind: 'approvals', document })
    const id = await held('100')
    const path = `/console/orders/${id}`
    const support = await as('support')
    const above = await press(path, support, { action: 'refund', reason: 'Asked for.' })
    assert.equal(above.status, 403)
    assert.match(above.body, /Your role may refund up to 50 EUR of an order/)
    const part = { action: 'refund', reason: 'Asked for.', amount: '30' }
    assert.equal((await press(path, support, part)).status, 303)
    assert.equal((await press(path, support, part)).status, 403, 'parts count together')
    assert.deepEqual(
      (await lookup<{ amount: string }>(exchange, 'select amount::text from refunds')).map(({ amount }) => amount),
      ['3000'],
    )
    const compliance = await as('compliance')
    assert.equal((await press(path, compliance, { action: 'refund', reason: 'The rest.' })).status, 303)
    await arrive(exchange, id, 'refunded')
  })
})

describe('an operator', () => {
  it('who was disabled can be enabled again, from the page and from the command line, and signs in as before', async () => {
    const { email } = await createOperator(ctx(), { email: 'leaver@example.com', password, role: 'viewer' }, 'cli:test')
    const browser = personBrowser(exchange)
    const admin = await as('admin')
    const { told, cambio } = commandLineOf(exchange)
    for (const enable of [
      async () => assert.equal((await press('/console/team', admin, { action: 'enable', email })).status, 303),
      async () => assert.equal((await told<{ disabled_at: unknown }>('operator', 'enable', email)).disabled_at, null),
    ]) {
      await disableOperator(ctx(), email, 'cli:test')
      assert.equal((await browser.signIn({ email, password })).status, 401)
      await enable()
      assert.equal((await browser.signIn({ email, password })).status, 303)
    }
    assert.equal((await press('/console/team', admin, { action: 'enable', email })).status, 409)
    assert.notEqual((await cambio('operator', 'enable', email)).exitCode, 0)
    assert.equal((await press('/console/team', await as('finance'), { action: 'enable', email })).status, 403)
  })

  it('is known in the browser that accepted the invitation, whatever strangers try before the first sign-in', async () => {
    const admin = await as('admin')
    const { body } = await press('/console/team', admin, {
      action: 'invite',
      email: 'guest@example.com',
      role: 'viewer',
      name: 'Guest',
    })
    const link = /(\/console\/invitation\/[\w-]{43})/.exec(body)?.[1] ?? assert.fail(body)
    const guest = personBrowser(exchange, '198.51.110')
    assert.equal((await guest.ask(link, { password })).status, 303)
    const wrong = { email: 'guest@example.com', password: 'wrong' }
    await Promise.all(
      Array.from({ length: 21 }, (_, at) => personBrowser(exchange, `100.65.${at}`)).flatMap((one) =>
        Array.from({ length: 5 }, () => one.signIn(wrong)),
      ),
    )
    assert.equal((await personBrowser(exchange, '192.0.2').signIn({ ...wrong, password })).status, 429)
    assert.equal((await guest.signIn({ ...wrong, password })).status, 303)
  })
})

describe('notes', () => {
  it('of finance are read by finance, and those of support are not', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const [support, finance] = [await as('support'), await as('finance')]
    assert.equal((await press(path, support, { action: 'note', text: 'Mrs Miller called.' })).status, 303)
    assert.equal((await press(path, finance, { action: 'note', text: 'The bank has it.' })).status, 303)
    const seen = (await ask(path, { cookie: finance })).body
    assert.ok(seen.includes('The bank has it.') && seen.includes('The finance'))
    assert.ok(!seen.includes('Mrs Miller called.'))
    const all = (await ask(path, { cookie: support })).body
    assert.ok(all.includes('The bank has it.') && all.includes('Mrs Miller called.'))
    const viewer = (await ask(path, { cookie: await as('viewer') })).body
    assert.ok(!viewer.includes('The bank has it.'))
  })
})

describe('people', () => {
  it('have names on every page and in what commands print, never the number of an operator', async () => {
    const id = await held('60')
    const admin = await as('admin')
    const halt = { action: 'halt', scope: 'payouts', reason: 'A drill.' }
    assert.equal((await press('/console/system', admin, halt)).status, 303)
    assert.equal((await press('/console/system', admin, { ...halt, action: 'resume' })).status, 303)
    const partner = exchange.sandbox.partner_id
    const [row] = await lookup<{ id: bigint }>(exchange, 'select id from partner_customers limit 1')
    const about = { order: id, partner, customer: String(row?.id) }
    for (const { path } of pages.filter(({ path: one }) => !one.endsWith('csv') && !one.endsWith('journal'))) {
      const { status, body } = await ask(placeOf(path, about), { cookie: admin })
      assert.equal(status, 200, path)
      assert.doesNotMatch(textOf(body), /operator:\d/, path)
    }
    assert.match(textOf((await ask('/console', { cookie: admin })).body), /The admin wants to resume payouts\./)
    const { cambio } = commandLineOf(exchange)
    const { out } = await cambio('audit', 'list')
    assert.match(out, /The admin/)
    assert.doesNotMatch(out, /operator:\d/)
    assert.match(
      (await cambio('audit', 'list', '--json')).out,
      /"actor":"operator:\d+","by":"The admin","origin":"127.0.0.1"/,
    )
    await lookup(exchange, 'delete from halts')
  })
})

describe('the audit', () => {
  it('says from where, is searched by person, subject, time and text, and leads to what it is about', async () => {
    const id = await held('61')
    const admin = await as('admin')
    const found = async (query: string) => (await ask(`/console/audit?${query}`, { cookie: admin })).body
    const names = await readNames(ctx())
    const finance = (await listOperators(ctx())).find(({ role }) => role === 'finance') ?? assert.fail('nobody')
    assert.equal(names.of(`operator:${finance.id}`), 'The finance')
    const own = await found(`q=${id}`)
    assert.match(own, new RegExp(`<a href="/console/orders/${id}">transaction:${id}</a>`))
    assert.match(textOf(own), /The admin +127\.0\.0\.1 +transaction\.held/)
    assert.doesNotMatch(textOf(own), /The finance +127/)
    const byWho = textOf(await found(`who=operator:${finance.id}`))
    assert.match(byWho, /The finance/)
    assert.doesNotMatch(byWho, /transaction\.held/)
    assert.equal(textOf(await found('q=The+finance')).includes('transaction.held'), false)
    assert.match(textOf(await found('what=transaction&q=A+look')), /transaction\.held/)
    assert.doesNotMatch(textOf(await found('what=transaction')), /operator\.signed_in/)
    assert.doesNotMatch(textOf(await found('until=2020-01-01')), /transaction\.held/)
    const byAction = textOf(await found('by=transaction.hold'))
    assert.match(byAction, /transaction\.held +by +transaction\.hold/)
    assert.doesNotMatch(byAction, /signed_in/)
    assert.match(textOf(await found('q=100%25')), /Nothing fits/)
    assert.equal((await ask('/console/audit', { cookie: await as('support') })).status, 403)
  })

  it('is searched by each kind of what it is about, and leads to its page or says why there is none', async () => {
    const [id, admin, partner] = [await held('62'), await as('admin'), exchange.sandbox.partner_id]
    const [row] = await lookup<{ id: bigint }>(exchange, 'select id from partner_customers limit 1')
    const known: Readonly<Record<string, string>> = {
      transaction: id,
      partner,
      customer: String(row?.id),
      policy: 'approvals:1',
    }
    const { body: page } = await ask('/console/audit', { cookie: admin })
    const [, choice = ''] = /<select id="what"[^>]*>([\s\S]*?)<\/select>/.exec(page) ?? []
    const offered = [...choice.matchAll(/<option value="(\w+)"/g)].map(([, noun]) => noun)
    assert.deepEqual(offered, [...subjectNouns, ...partNouns])
    for (const noun of subjectNouns) {
      const subject = `${noun}:${known[noun] ?? '999'}`
      await lookup(
        exchange,
        `insert into audit (at, actor, action, subject, after) values (now(), 'cli:planted', $1, $2, $3)`,
        [`${noun}.planted`, subject, JSON.stringify({ partner_id: partner })],
      )
      const { body } = await ask(`/console/audit?what=${noun}&who=cli:planted`, { cookie: admin })
      const place = places[noun]
      const [, to] = new RegExp(`<a href="([^"]+)">${subject}</a>`).exec(body) ?? []
      assert.equal(to === undefined, 'none' in place, subject)
      assert.ok(body.includes(subject), subject)
      if (to !== undefined) assert.equal((await ask(to, { cookie: admin })).status, 200, to)
    }
  })
})
