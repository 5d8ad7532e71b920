import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pages as consolePages } from '../../src/doors/console/pages.ts'
import { pages as portalPages } from '../../src/doors/portal/portal.ts'
import type { Action } from '../../src/exchange/actions/action.ts'
import { allActions } from '../../src/exchange/actions/all.ts'
import { permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { createPortalUser } from '../../src/exchange/partners/portal-users.ts'
import { byHand } from '../support/by-hand.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup, readyToPay } from '../support/journey.ts'
import { makeOperators, password, placeOf, staffBrowser } from '../support/staff-browser.ts'
import { staffForms } from '../support/staff-forms.ts'

let exchange: Exchange
let about: Parameters<typeof placeOf>[1]
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
  const { id: order, customer_id: customer } = await readyToPay(exchange)
  about = { order, partner: exchange.sandbox.partner_id, customer: customer ?? assert.fail('nobody') }
})
after(() => exchange.stop())

const { ask, as } = staffBrowser(() => exchange)

/** Sends forms as somebody does who is signed in, whether the page shows them or not. */
async function sender(area: string, cookie: string) {
  const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec((await ask(`/${area}/account`, { cookie })).body) ?? []
  return (route: string, action: string) =>
    ask(placeOf(route, about), { cookie, form: { csrf, action, reason: 'A test asks for it.' } })
}

/** The forms of an area that are drawn from actions, each with the actions of that name: pages have their own. */
const formsOf = (area: string): { route: string; sent: string; named: Action<unknown>[] }[] =>
  staffForms
    .filter(({ name }) => name.startsWith(`/${area}`) && byHand[name] === undefined)
    .map(({ name }) => {
      const [route = '', sent = ''] = name.split(' ')
      const named = allActions.flatMap(([, all]) => all.filter((one) => one.name === sent.replace(/^try-/, '')))
      return { route, sent, named }
    })

/** What somebody has done, by the audit, apart from signing in and looking. */
const doneBy = (kind: string): Promise<unknown[]> =>
  lookup(
    exchange,
    `select actor, action from audit where actor like $1 and action !~ '(signed_in|viewed|searched)$' order by id`,
    [`${kind}:%`],
  )

describe('an action', () => {
  it('is refused to every operator whose role does not include it, on every page that has it', async () => {
    let refused = 0
    for (const role of roles) {
      const send = await sender('console', await as(role))
      for (const { route, sent, named } of formsOf('console')) {
        assert.ok(named.length > 0, `${route} ${sent}`)
        if (named.some(({ permission }) => permissionsOf[role].has(permission))) continue
        const page = consolePages.find(({ path }) => path === route)
        const seen = await send(route, sent)
        assert.equal(seen.status, 403, `${role} ${route} ${sent}`)
        const mayLook = page?.needs === undefined || permissionsOf[role].has(page.needs)
        if (mayLook) assert.match(seen.body, /Your role does not include this action\./, `${role} ${route} ${sent}`)
        refused += 1
      }
    }
    assert.ok(refused > 100, String(refused))
    assert.deepEqual(await doneBy('operator'), [])
  })

  it('is refused to everybody of a partner but those whom it names, on every page of the portal', async () => {
    const { ctx } = exchange.service.composition
    const email = 'member@one.example'
    const partnerId = BigInt(exchange.sandbox.partner_id)
    await createPortalUser(ctx, { partnerId, email, role: 'member', password }, 'test')
    const people = { admin: exchange.sandbox.portal, member: { email, password } }
    for (const [role, form] of Object.entries(people)) {
      const { headers } = await ask('/portal/sign-in', { form })
      const send = await sender('portal', (headers.getSetCookie()[0] ?? '').split(';')[0] ?? '')
      const admins = formsOf('portal').filter(({ named }) => named.every(({ atPortal }) => atPortal !== 'member'))
      for (const { route, sent } of role === 'member' ? admins : []) {
        const seen = await send(route, sent)
        assert.equal(seen.status, 403, `${role} ${route} ${sent}`)
        assert.match(seen.body, /Your role does not include this action\./, `${route} ${sent}`)
      }
      const operators = allActions.flatMap(([, all]) => all.filter(({ atPortal }) => atPortal === undefined))
      const acting = portalPages.filter(({ act }) => act !== undefined)
      const own = new Set(formsOf('portal').map(({ sent }) => sent))
      const foreign = new Set(operators.map(({ name }) => name).filter((name) => !own.has(name)))
      for (const { path } of acting) {
        for (const action of foreign) {
          const name = `${path} ${action}`
          if (byHand[name]) continue
          const seen = await send(path, action)
          assert.match(
            seen.body,
            /There is no such action\.|Your role does not include this action\./,
            `${role} ${name}`,
          )
        }
      }
    }
    assert.deepEqual(await doneBy('portal'), [])
  })
})
