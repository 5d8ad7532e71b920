import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, create, pay, readyToPay } from '../support/journey.ts'
import { makeOperators, type Seen, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let admin: string
const { ask, as, press } = staffBrowser(() => exchange)
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
  await makeOperators(exchange)
  admin = await as('admin')
})
after(() => exchange.stop())

const secretsIn = ({ body }: Seen): Record<string, string> =>
  Object.fromEntries(
    [...body.matchAll(/<dt>([^<]+)<\/dt><dd><code class="wrap">([^<]+)<\/code>/g)].map(([, name = '', text = '']) => [
      name,
      text,
    ]),
  )

describe('the partners of the console', () => {
  let path: string
  let secretKey: string

  it('are created with keys that work at once, shown this once', async () => {
    const made = await press('/console/partners', admin, { action: 'create', name: 'Tulip Wallet' })
    const secrets = secretsIn(made)
    assert.deepEqual(Object.keys(secrets).toSorted(), ['public key', 'secret key', 'webhook secret', 'widget secret'])
    ;[path = ''] = /\/console\/partners\/\d+/.exec(made.body) ?? []
    secretKey = secrets['secret key'] ?? ''
    await until(
      async () => (await exchange.api('/v1/transactions', { key: secretKey })).status === 200,
      'the key to be valid',
    )
    const page = await ask(path, { cookie: admin })
    assert.equal(page.status, 200)
    for (const secret of Object.values(secrets)) assert.ok(!page.body.includes(secret))
  })

  it('get settings, features, a theme, keys, an endpoint and people from forms', async () => {
    const sent = await press(path, admin, {
      action: 'settings',
      name: 'Tulip',
      'fees.commission_percent': '0.75',
      'limits.min': '50',
      'limits.sell.max': '900',
      contact_email: 'ops@tulip.example',
      slippage_percent: '',
    })
    assert.equal(sent.status, 303)
    assert.equal((await press(path, admin, { action: 'theme', accent: '#0a7cff', corner: '6' })).status, 303)
    assert.equal((await press(path, admin, { action: 'feature', feature: 'b2b', on: 'on' })).status, 303)
    const shown = await commandLineOf(exchange).told<{
      name: string
      theme: object
      fees: object
      contact_email: string
      slippage_percent: string
      limits: object
      features: Record<string, boolean>
    }>('partner', 'show', '--partner', path.split('/').at(-1) ?? '')
    assert.deepEqual(
      [
        shown.name,
        shown.theme,
        shown.fees,
        shown.contact_email,
        shown.slippage_percent,
        shown.limits,
        shown.features.b2b,
      ],
      [
        'Tulip',
        { accent: '#0a7cff', corner: 6 },
        { commission_percent: '0.75' },
        'ops@tulip.example',
        'default',
        { min: '50', max: null, sell: { min: '50', max: '900' } },
        true,
      ],
    )
    const endpoint = await press(path, admin, { action: 'endpoint', url: 'http://127.0.0.1:9/hook' })
    assert.ok(secretsIn(endpoint)['Webhook secret'])
    const key = await press(path, admin, { action: 'create', kind: 'public', label: 'shop' })
    assert.match(secretsIn(key).Key ?? '', /^pk_|public|_/)
    const invited = await press(path, admin, { action: 'invite', email: 'ada@tulip.example', role: 'admin' })
    assert.match(secretsIn(invited)['Link of the invitation'] ?? '', /\/portal\/invitation\//)
    const page = await ask(path, { cookie: admin })
    for (const text of ['ada@tulip.example', 'http://127.0.0.1:9/hook', 'partner.changed'])
      assert.ok(page.body.includes(text), text)
  })

  it('say what is wrong with a setting, and keep what was there', async () => {
    const seen = await press(path, admin, { action: 'theme', name: 'Other', accent: 'blue' })
    assert.equal(seen.status, 400)
    assert.match(seen.body, /theme: has an accent that is a color/)
    assert.match(seen.body, /value="Other".*value="blue"/s, 'what was typed is kept')
    const slipped = await press(path, admin, { action: 'settings', name: 'Other', slippage_percent: 'blue' })
    assert.equal(slipped.status, 400)
    assert.match(slipped.body, /value="Other".*value="blue"/s, 'what was typed is kept')
    assert.match((await ask(path, { cookie: admin })).body, /<h1>Tulip<\/h1>/)
  })

  it('are disabled: no key is valid, nobody signs in, what began goes on; and enabled again', async () => {
    const { partner_id: id, portal } = exchange.sandbox
    const own = `/console/partners/${id}`
    const order = await readyToPay(exchange)
    const sandboxKey = exchange.sandbox.secret_key
    assert.equal((await press(own, admin, { action: 'disable' })).status, 303)
    await until(async () => (await exchange.api('/v1/transactions')).status === 401, 'the key to end')
    const signIn = { form: { email: portal.email, password: portal.password } }
    assert.equal((await ask('/portal/sign-in', signIn)).status, 401)
    assert.equal((await press(own, admin, { action: 'disable' })).status, 409)
    assert.equal((await ask(`/checkout?tid=${new URL(order.redirect_url).searchParams.get('tid')}`)).status, 200)

    const { cambio } = commandLineOf(exchange)
    assert.equal((await cambio('partner', 'enable', '--partner', id)).exitCode, 0)
    await until(
      async () => (await exchange.api('/v1/transactions', { key: sandboxKey })).status === 200,
      'the key to be valid',
    )
    assert.equal((await ask('/portal/sign-in', signIn)).status, 303)
    await pay(exchange, order.id)
    await arrive(exchange, order.id, 'finished')
    await create(exchange)
  })

  it('are managed by administrators only', async () => {
    const actions = ['settings', 'feature', 'disable', 'endpoint', 'invite', 'create', 'revoke']
    for (const role of ['viewer', 'support', 'finance', 'compliance'] as const) {
      const cookie = await as(role)
      for (const action of actions)
        assert.equal((await press(path, cookie, { action })).status, 403, `${role} ${action}`)
      assert.equal((await press('/console/partners', cookie, { action: 'create', name: 'x' })).status, 403)
    }
  })
})
