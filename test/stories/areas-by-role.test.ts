import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pages as consolePages } from '../../src/doors/console/pages.ts'
import { pages as portalPages } from '../../src/doors/portal/portal.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { byHand } from '../support/by-hand.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { create } from '../support/journey.ts'
import { actionOf, formsIn, valuesOf } from '../support/page-forms.ts'
import { routesOf } from '../support/routes.ts'
import { password, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const { ask } = staffBrowser(() => exchange)

/** What an area serves to people who are not signed in. */
const openRoutes = (area: string): string[] => [
  `GET /${area}/sign-in`,
  `POST /${area}/sign-in`,
  `POST /${area}/passkeys/sign-in`,
  `POST /${area}/sign-out`,
  `GET /${area}/invitation/:token`,
  `POST /${area}/invitation/:token`,
]

describe('an area', () => {
  it('serves its pages, which tests open in every role, and nothing else but the way in and out', async () => {
    const routes = await routesOf(exchange.service)
    for (const [area, pages] of Object.entries({ console: consolePages, portal: portalPages })) {
      const served = routes
        .filter(({ method, url }) => method !== 'HEAD' && (url === `/${area}` || url.startsWith(`/${area}/`)))
        .map(({ method, url }) => `${method} ${url}`)
      const listed = pages.flatMap(({ path, act }) => [`GET ${path}`, ...(act ? [`POST ${path}`] : [])])
      assert.deepEqual(served.toSorted(), [...listed, ...openRoutes(area)].toSorted())
    }
  })
})

/** Pages of the portal that only administrators of a partner open. */
const forAdministrators = ['/portal/calculator', '/portal/theme']

describe('somebody of a partner who is no administrator', () => {
  it('opens every page of the portal but those of administrators, without a form that is not for everybody', async () => {
    const { ctx } = exchange.service.composition
    const email = 'member@one.example'
    const partnerId = BigInt(exchange.sandbox.partner_id)
    await createPortalUser(ctx, { partnerId, email, role: 'member', password }, 'test')
    await exchange.api('/v1/webhook-endpoints', { body: { url: 'http://127.0.0.1:9/hook' } })
    const { id } = await create(exchange)
    const signIn = async (form: Record<string, string>) =>
      ((await ask('/portal/sign-in', { form })).headers.getSetCookie()[0] ?? '').split(';')[0] ?? ''
    const [member, admin] = [await signIn({ email, password }), await signIn(exchange.sandbox.portal)]
    const actions = allActions.flatMap(([, all]) => all)
    const seen = { member: new Set<string>(), admin: new Set<string>() }
    for (const { path } of portalPages) {
      const place = path.replace(':id', id)
      for (const [role, cookie] of Object.entries({ member, admin })) {
        const { status, body } = await ask(place, { cookie })
        const isRefused = role === 'member' && forAdministrators.includes(path)
        assert.equal(status, isRefused ? 403 : 200, `${role} ${path}`)
        for (const form of formsIn(body, place)) {
          const action = actionOf(form)
          if (action === '' || byHand[`${path} ${action}`]) continue
          seen[role as 'member' | 'admin'].add(`${path} ${action}`)
          const named = actions.filter(({ name }) => name === action.replace(/^try-/, ''))
          const isTheirs = named.some(({ atPortal }) => atPortal === 'member' || (role === 'admin' && atPortal))
          assert.ok(isTheirs, `${role} ${path} ${action}`)
          if (role === 'admin') continue
          const sent = await ask(form.path, { cookie, form: valuesOf(form) })
          assert.notEqual(sent.status, 403, `${path} ${action}`)
        }
      }
    }
    assert.ok(seen.admin.size > seen.member.size && seen.member.size > 0, JSON.stringify([...seen.member]))
    for (const name of seen.member) assert.ok(seen.admin.has(name), name)
  })
})
