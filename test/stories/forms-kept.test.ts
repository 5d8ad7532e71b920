import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { changeRole } from '../../src/exchange/operators/operator.ts'
import { holdTransaction } from '../../src/exchange/operations/staff.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup, read, readyToPay } from '../support/journey.ts'
import { actionOf, formsIn, valuesOf } from '../support/page-forms.ts'
import { makeOperators, password, type Seen, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
})
after(() => exchange.stop())

const { ask } = staffBrowser(() => exchange)
const why = { reason: 'A colleague was faster.', actor: 'cli:test' }
const typed = 'I typed <this>: it took long.'
const shown = 'I typed &lt;this>: it took long.'

type Values = Record<string, string>

const formOf = ({ body }: Pick<Seen, 'body'>, path: string, action: string): Values => {
  const found = formsIn(body, path).find((form) => actionOf(form) === action)
  return found ? valuesOf(found) : assert.fail(`no form for ${action}: ${body.slice(0, 1_000)}`)
}

/** The cookies that an answer sets, without those that it takes away. */
const cookiesOf = ({ headers }: Pick<Seen, 'headers'>): string =>
  headers
    .getSetCookie()
    .map((line) => line.split(';')[0] ?? '')
    .filter((pair) => !pair.endsWith('='))
    .join('; ')

/** Somebody who uses an area. */
function personOf(area: string, who: () => Values) {
  const signIn = async () => cookiesOf(await ask(`/${area}/sign-in`, { form: who() }))
  const formAt = async (cookie: string, path: string, action: string) =>
    formOf(await ask(path, { cookie }), path, action)
  return {
    signIn,
    formAt,
    /** Signs in on the page that was shown in place of an answer; gives the page that follows. */
    signInAgain: async (refused: Seen, path: string): Promise<Seen & { cookie: string }> => {
      const [form] = formsIn(refused.body, path)
      assert.ok(form)
      const seen = await ask(form.path, { form: { ...valuesOf(form), ...who() } })
      assert.deepEqual([seen.status, seen.headers.get('location')], [303, path], seen.body)
      const cookie = cookiesOf(seen)
      return { ...(await ask(path, { cookie })), cookie }
    },
  }
}

const operator = personOf('console', () => ({ email: 'support@example.com', password }))
const member = personOf('portal', () => exchange.sandbox.portal)
const keys = '/portal/keys'
/** What a browser sends whose session is over. */
const endedIn = (area: string): string => `${area}=${'x'.repeat(43)}`

describe('what was typed into a form of the console', () => {
  it('is there after signing in again, where the session was over, and nothing was done', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const form = await operator.formAt(await operator.signIn(), path, 'hold')
    await lookup(exchange, 'update operator_sessions set ended_at = now() where ended_at is null')
    const refused = await ask(path, { cookie: endedIn('console'), form: { ...form, reason: typed } })
    assert.equal(refused.status, 401)
    assert.match(
      refused.body,
      /role="alert"[^<]*>\s*You have been signed out\. Sign in again: what you typed is kept\./,
    )
    assert.ok(!refused.body.includes('it took long'), 'sealed')
    const wrong = await ask(path, { cookie: endedIn('console') })
    assert.equal(wrong.status, 303)

    const again = await operator.signInAgain(refused, path)
    assert.match(again.body, /role="alert"[^<]*>\s*You had been signed out, so nothing was done\./)
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    const kept = formOf(again, path, 'hold')
    assert.equal(kept.reason, typed)
    assert.equal((await ask(path, { cookie: again.cookie, form: kept })).status, 303)
    assert.equal((await read(exchange, id)).status, 'on_hold')
  })

  it('is kept through a wrong password, and no secret is', async () => {
    const path = '/console/account'
    const form = await operator.formAt(await operator.signIn(), path, 'password')
    const refused = await ask(path, { form: { ...form, present: 'a secret of mine', next: 'another one' } })
    assert.deepEqual([refused.status, refused.headers.get('location')], [303, '/console/sign-in'], 'only secrets')

    const { id } = await readyToPay(exchange)
    const order = `/console/orders/${id}`
    const held = await operator.formAt(await operator.signIn(), order, 'hold')
    const first = await ask(order, {
      cookie: endedIn('console'),
      form: { ...held, reason: typed, code: '123456' },
    })
    const [shownForm] = formsIn(first.body, order)
    assert.ok(shownForm)
    const wrong = await ask(shownForm.path, {
      form: { ...valuesOf(shownForm), email: 'support@example.com', password: 'wrong' },
    })
    assert.equal(wrong.status, 401)
    const again = await operator.signInAgain(wrong, order)
    assert.equal(formOf(again, order, 'hold').reason, typed)
    assert.ok(!again.body.includes('123456'))
  })

  it('is in the form again where the page is of an earlier session, and can be sent then', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const stale = await operator.formAt(await operator.signIn(), path, 'hold')
    const cookie = await operator.signIn()
    const refused = await ask(path, { cookie, form: { ...stale, reason: typed } })
    assert.equal(refused.status, 403)
    assert.match(refused.body, /role="alert"[^<]*>\s*This page is too old: you have signed in since\./)
    const fresh = formOf(refused, path, 'hold')
    assert.equal(fresh.reason, typed)
    assert.equal((await ask(path, { cookie, form: fresh })).status, 303)
    assert.equal((await read(exchange, id)).status, 'on_hold')

    const foreign = await ask(path, { cookie, form: fresh, headers: { origin: 'https://evil.example' } })
    assert.equal(foreign.status, 403)
    assert.ok(!foreign.body.includes('it took long'), 'nothing of a form of another site is shown')
  })

  it('stays to be read, with why not, where the action is not possible any more', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const cookie = await operator.signIn()
    const form = await operator.formAt(cookie, path, 'hold')
    await holdTransaction(exchange.service.composition.ctx, BigInt(id), why)
    const refused = await ask(path, { cookie, form: { ...form, reason: typed } })
    assert.equal(refused.status, 409)
    assert.match(refused.body, /role="alert"[^<]*>\s*This transaction is already on hold for manual review\./)
    assert.match(refused.body, /What you typed/)
    assert.ok(refused.body.includes(shown), refused.body)
  })

  it('stays to be read where the page is not for this person any more', async () => {
    const cookie = await operator.signIn()
    const path = '/console/customers'
    const form = await operator.formAt(cookie, path, 'bounce')
    await changeRole(exchange.service.composition.ctx, 'support@example.com', 'viewer', 'test')
    const refused = await ask(path, { cookie, form: { ...form, address: 'back@example.com', reason: typed } })
    await changeRole(exchange.service.composition.ctx, 'support@example.com', 'support', 'test')
    assert.equal(refused.status, 403)
    assert.match(refused.body, /Your role does not include this page\./)
    assert.ok(refused.body.includes(shown) && refused.body.includes('back@example.com'), refused.body)
  })
})

describe('what was typed into a form of the portal', () => {
  it('is there after signing in again, where the session was over', async () => {
    const form = await member.formAt(await member.signIn(), keys, 'create')
    const refused = await ask(keys, { cookie: endedIn('portal'), form: { ...form, label: typed } })
    assert.equal(refused.status, 401)
    const unknown = await ask(keys, { form: { ...form, label: typed } })
    assert.deepEqual([unknown.status, unknown.headers.get('location')], [303, '/portal/sign-in'], 'never signed in')
    const again = await member.signInAgain(refused, keys)
    const kept = formOf(again, keys, 'create')
    assert.equal(kept.label, typed)
    assert.equal((await ask(keys, { cookie: again.cookie, form: kept })).status, 200)
  })

  it('is in the form again where the page is of an earlier session', async () => {
    const stale = await member.formAt(await member.signIn(), keys, 'create')
    const cookie = await member.signIn()
    const refused = await ask(keys, { cookie, form: { ...stale, label: typed } })
    assert.equal(refused.status, 403)
    const fresh = formOf(refused, keys, 'create')
    assert.equal(fresh.label, typed)
    assert.equal((await ask(keys, { cookie, form: fresh })).status, 200)
  })

  it('stays to be read, with why not, where the action is not possible any more', async () => {
    const cookie = await member.signIn()
    const form = await member.formAt(cookie, keys, 'restrict')
    await lookup(exchange, 'update api_keys set revoked_at = now() where id = $1', [form.key ?? ''])
    const refused = await ask(keys, { cookie, form: { ...form, allow_ips: '192.0.2.77' } })
    assert.equal(refused.status, 409)
    assert.match(refused.body, /role="alert"[^<]*>\s*This key/)
    assert.match(refused.body, /What you typed[\s\S]*192\.0\.2\.77/)
  })
})
