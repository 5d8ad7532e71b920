import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { changeRole, createOperator, disableOperator } from '../../src/exchange/operators/operator.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { personBrowser } from '../support/person-browser.ts'
import { asOwner } from '../support/server.ts'

const password = 'a horse on the stairs'
let exchange: Exchange
before(async () => {
  exchange = await startExchange({ TRUSTED_PROXIES: '127.0.0.1' })
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
let people = 0
const newAdmin = () =>
  createOperator(ctx(), { email: `admin${(people += 1)}@example.com`, password, role: 'admin' }, 'cli:test')
const browser = (network?: string) => personBrowser(exchange, network)

describe('an invitation', () => {
  it('makes an operator who chooses a password, once, within 72 hours', async () => {
    const admin = browser()
    const { email } = await newAdmin()
    await admin.signIn({ email, password })
    const invite = async (address: string): Promise<string> => {
      const { body } = await admin.press('/console/team', {
        action: 'invite',
        email: address,
        role: 'support',
        name: 'New',
      })
      return /(\/console\/invitation\/[\w-]{43})/.exec(body)?.[1] ?? assert.fail(body)
    }
    const replaced = await invite('New@example.com')
    const link = await invite('new@example.com')
    const guest = browser('198.51.107')
    assert.equal((await guest.ask(replaced)).status, 404, 'a later invitation replaces it')
    assert.match((await guest.ask(link)).body, /invited to the console as new@example.com, with the role “support”/)
    assert.equal((await guest.ask(link, { password: 'password1234' })).status, 400)
    assert.equal((await guest.ask(link, { password })).status, 303)
    assert.equal((await guest.ask(link)).status, 404)
    assert.equal((await guest.ask(link, { password: 'another horse here' })).status, 404)
    assert.equal((await guest.signIn({ email: 'new@example.com', password })).status, 303)
    assert.equal((await guest.ask('/console/team')).status, 403)

    const late = await invite('late@example.com')
    await asOwner(exchange.ownerUrl, (client) =>
      client.query(
        `update operator_invitations set created_at = created_at - interval '73 hours' where used_at is null`,
      ),
    )
    assert.equal((await guest.ask(late)).status, 404)
    assert.equal(
      (await admin.press('/console/team', { action: 'invite', email: 'new@example.com', role: 'admin' })).status,
      409,
    )
    assert.equal(
      (await admin.press('/console/team', { action: 'invite', email: 'x@example.com', role: 'king' })).status,
      400,
    )
  })

  it('is listed while it is open, and can be revoked', async () => {
    const admin = browser()
    const { email } = await newAdmin()
    await admin.signIn({ email, password })
    const invited = { action: 'invite', email: 'open@example.com', role: 'support', name: 'Open' }
    const { body } = await admin.press('/console/team', invited)
    const link = /(\/console\/invitation\/[\w-]{43})/.exec(body)?.[1] ?? assert.fail(body)
    assert.match((await admin.ask('/console/team')).body, /Open invitations.*open@example\.com/s)
    assert.equal((await admin.press('/console/team', { action: 'revoke', email: 'open@example.com' })).status, 303)
    assert.equal((await browser('198.51.108').ask(link)).status, 404)
    assert.ok(!(await admin.ask('/console/team')).body.includes('open@example.com'))
    assert.equal((await admin.press('/console/team', { action: 'revoke', email: 'open@example.com' })).status, 404)
  })

  it('ends with the access of who sent it', async () => {
    const [leaving, demoted] = [await newAdmin(), await newAdmin()]
    const links: string[] = []
    for (const { email } of [leaving, demoted]) {
      const own = browser()
      await own.signIn({ email, password })
      const { body } = await own.press('/console/team', {
        action: 'invite',
        email: `friend-of-${email}`,
        role: 'admin',
      })
      links.push(/(\/console\/invitation\/[\w-]{43})/.exec(body)?.[1] ?? assert.fail(body))
    }
    for (const link of links) assert.equal((await browser().ask(link)).status, 200)
    await disableOperator(ctx(), leaving.email, 'cli:test')
    await changeRole(ctx(), demoted.email, 'support', 'cli:test')
    for (const link of links) {
      assert.equal((await browser().ask(link)).status, 404)
      assert.equal((await browser().ask(link, { password })).status, 404)
    }
  })
})
