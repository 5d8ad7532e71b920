import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type CommandLine, commandLineOf } from '../support/command.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { readyToPay } from '../support/journey.ts'
import { formsIn } from '../support/page-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
let line: CommandLine
let admin: string
const { ask, as, press } = staffBrowser(() => exchange)
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  line = commandLineOf(exchange)
  await makeOperators(exchange)
  admin = await as('admin')
})
after(() => exchange.stop())

type Asked = { path: string; action: string; fields?: Record<string, string>; command: string[] }

/** Whether the page has the form, and what the form and the command come to. */
async function triedBoth({ path, action, fields = {}, command }: Asked) {
  const named = { action, ...fields }
  const page = await ask(path, { cookie: admin })
  const isOffered = formsIn(page.body, path).some(({ fields: own }) =>
    Object.entries(named).every(([name, value]) => own.some((one) => one.name === name && one.value === value)),
  )
  const pressed = await press(path, admin, { ...named, reason: 'A test' })
  const { exitCode, err } = await line.cambio(...command)
  return { isOffered, pressed: pressed.status, exitCode, err: err.trim() }
}

describe('what has been done already is not offered, and refused by the form and by the command alike', () => {
  it('of a token of an operator', async () => {
    const { id } = await line.told<{ id: string }>('operator', 'token', 'viewer@example.com')
    const asked = { path: '/console/team', action: 'revoke-token', fields: { token: id } }
    const page = await ask(asked.path, { cookie: admin })
    assert.ok(page.body.includes(`value="${id}"`))
    await line.told('operator', 'revoke', id)
    const err = 'This token has been revoked already.'
    const seen = await triedBoth({ ...asked, command: ['operator', 'revoke', id] })
    assert.deepEqual(seen, { isOffered: false, pressed: 409, exitCode: 1, err })
  })

  it('of a key of a partner', async () => {
    const partner = exchange.sandbox.partner_id
    const { id } = await line.told<{ id: string }>('key', 'create', '--partner', partner, '--kind', 'secret')
    await line.told('key', 'revoke', id)
    const asked = { path: `/console/partners/${partner}`, fields: { key: id } }
    const err = 'This key has been revoked. Create a new one.'
    const refused = { isOffered: false, pressed: 409, exitCode: 1, err }
    assert.deepEqual(await triedBoth({ ...asked, action: 'revoke', command: ['key', 'revoke', id] }), refused)
    const set = ['key', 'set', id, '--label', 'old']
    assert.deepEqual(await triedBoth({ ...asked, action: 'restrict', command: set }), refused)
  })

  it('of a customer', async () => {
    const { customer_id: id } = await readyToPay(exchange)
    assert.ok(id)
    const path = `/console/customers/${id}`
    const words = (verb: string) => ({ path, action: verb, command: ['customer', verb, id, '--reason', 'A test'] })
    const refused = { isOffered: false, pressed: 409, exitCode: 1 }
    assert.deepEqual(await triedBoth(words('unblock')), { ...refused, err: 'This customer is not blocked.' })
    await line.told(...words('block').command)
    assert.deepEqual(await triedBoth(words('block')), { ...refused, err: 'This customer is blocked already.' })
    await line.told(...words('unblock').command)
    assert.deepEqual(await triedBoth(words('unblock')), { ...refused, err: 'This customer is not blocked.' })
    const nobody = await line.cambio('customer', 'unblock', '7', '--reason', 'A test')
    assert.deepEqual([nobody.exitCode, nobody.err.trim()], [1, 'There is no such customer.'])
  })
})
