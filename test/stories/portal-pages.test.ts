import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'
import { password, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
const { ask, press } = staffBrowser(() => exchange)
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const member = { partnerId: BigInt(exchange.sandbox.partner_id), email: 'member@one.example', role: 'member' }
  await createPortalUser(exchange.service.composition.ctx, { ...member, password }, 'test')
})
after(() => exchange.stop())

async function signIn({ email, password: own }: { email: string; password: string }): Promise<string> {
  const { headers } = await ask('/portal/sign-in', { form: { email, password: own } })
  return (headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
}

describe('the theme page of the portal', () => {
  it('tries a theme on its own page, saves it, and refuses what no page can have', async () => {
    const cookie = await signIn(exchange.sandbox.portal)
    const path = '/portal/theme'
    const tried = await press(path, cookie, { action: 'try-theme', accent: '#c2410c', corner: '2', name: 'Orange' })
    assert.equal(tried.status, 200)
    assert.match(tried.body, /--corner:2px/)
    assert.ok(tried.body.includes('Orange'))
    const order = await create(exchange)
    const checkout = async () => (await fetch(order.redirect_url)).text()
    assert.ok(!(await checkout()).includes('--corner:2px'), 'nothing is saved yet')
    assert.equal((await press(path, cookie, { action: 'theme', accent: '#c2410c', corner: '2' })).status, 303)
    await until(async () => (await checkout()).includes('--corner:2px'), 'the theme on the checkout')
    assert.equal((await press(path, cookie, { action: 'theme', accent: 'orange' })).status, 400)
    assert.equal((await ask(path, { cookie: await signIn({ email: 'member@one.example', password }) })).status, 403)
    await press(path, cookie, { action: 'theme' })
  })
})

describe('the test scenarios of the portal', () => {
  it('are played for the own account, and lead to the order', async () => {
    const cookie = await signIn(exchange.sandbox.portal)
    const path = '/portal/scenarios'
    assert.match((await ask(path, { cookie })).body, /aria-label="Play: /)
    const { status, headers } = await press(path, cookie, { action: 'play', name: 'card-buy' })
    assert.equal(status, 303)
    const order = await ask(headers.get('location') ?? '', { cookie })
    assert.equal(order.status, 200)
    assert.match(order.body, /finished/)
    assert.equal((await press(path, cookie, { action: 'play', name: 'no-such' })).status, 404)
  })
})
