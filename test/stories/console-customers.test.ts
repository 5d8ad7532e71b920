import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { type Exchange, startExchange } from '../support/exchange.ts'
import { commandLineOf } from '../support/command.ts'
import { assertBooksHold, buy, lookup, read, readyToPay } from '../support/journey.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { until } from '../support/telling.ts'
import { everyTable, isIn } from '../support/traces.ts'
import { startTwin } from '../support/twin.ts'

let exchange: Exchange
let compliance: string
const { ask, as, press } = staffBrowser(() => exchange)
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', LOG_LEVEL: 'fatal' })
  await makeOperators(exchange)
  compliance = await as('compliance')
})
after(() => exchange.stop())

const customerOf = ({ customer_id: id }: { customer_id: string | null }): string => id ?? assert.fail('no customer')
const withEmail = (email: string) => ({ customer: { contact_info: { email } } })

describe('the customers of the console', () => {
  it('are found by a part of the e-mail address and by id, and who looked is in the audit', async () => {
    const customer = customerOf(await buy(exchange, withEmail('grace.hopper@example.com')))
    for (const text of ['race.hop', customer]) {
      const { body } = await ask(`/console/customers?q=${text}`, { cookie: compliance })
      assert.ok(body.includes(`/console/customers/${customer}`), text)
    }
    const none = await ask('/console/customers?q=nobody.at.all', { cookie: compliance })
    assert.ok(none.body.includes('No customer has this'))
    const { body } = await ask(`/console/customers/${customer}`, { cookie: compliance })
    assert.ok(body.includes('grace.hopper@example.com'))
    const again = await ask(`/console/customers/${customer}`, { cookie: compliance })
    assert.ok(again.body.includes('customer.viewed'))
  })

  it('are blocked with a reason and unblocked', async () => {
    const customer = customerOf(await buy(exchange, withEmail('blocked@example.com')))
    const path = `/console/customers/${customer}`
    assert.equal((await press(path, compliance, { action: 'block', reason: '' })).status, 400)
    assert.equal((await press(path, compliance, { action: 'block', reason: 'A stolen card' })).status, 303)
    assert.ok((await ask(path, { cookie: compliance })).body.includes('A stolen card'))
    assert.equal((await press(path, compliance, { action: 'unblock', reason: 'It was not' })).status, 303)
    for (const role of ['support', 'viewer', 'finance'] as const) {
      for (const action of ['block', 'export', 'erase']) {
        assert.equal((await press(path, await as(role), { action, reason: 'x' })).status, 403, `${role} ${action}`)
      }
    }
  })

  it('get everything that is kept of them as a file, without what opens more', async () => {
    const order = await buy(exchange, withEmail('mine@example.com'))
    const path = `/console/customers/${customerOf(order)}`
    const file = await press(path, compliance, { action: 'export', reason: 'Asked for by letter' })
    assert.match(file.headers.get('content-disposition') ?? '', /attachment/)
    const { customers, consents, orders } = JSON.parse(file.body) as Record<string, { email?: string; id?: string }[]>
    assert.equal(customers?.[0]?.email, 'mine@example.com')
    assert.deepEqual(
      orders?.map(({ id }) => id),
      [order.id],
    )
    assert.ok((consents?.length ?? 0) > 0)
    assert.ok(!file.body.includes('checkout?tid='))
    assert.ok((await ask(path, { cookie: compliance })).body.includes('customer.exported'))
  })
})

type Erased = { customers: string[]; keys: number }

describe('a customer who is erased', () => {
  const email = 'gone.for.good@example.com'

  it('must have no order that goes on', async () => {
    const { customer_id: id } = await readyToPay(exchange, withEmail('waits@example.com'))
    const seen = await press(`/console/customers/${id}`, compliance, { action: 'erase', reason: 'Asked' })
    assert.equal(seen.status, 409)
    assert.match(seen.body, /orders have not ended/)
  })

  it('can be read nowhere any more, in no process, while the books hold and others go on', async (t) => {
    const other = await buy(exchange, withEmail('stays@example.com'))
    const order = await buy(exchange, withEmail(email))
    const customer = customerOf(order)
    const twin = await startTwin(exchange, { LOG_LEVEL: 'fatal', ROLES: 'api' })
    t.after(() => twin.stop())
    const readAtTwin = async () => {
      const answer = await fetch(`${twin.url}/v1/transaction/${order.id}`, {
        headers: { 'x-api-key': exchange.sandbox.secret_key },
      })
      return answer.status
    }
    assert.equal(await readAtTwin(), 200)

    const path = `/console/customers/${customer}`
    assert.equal((await press(path, compliance, { action: 'erase', reason: 'Asked by letter' })).status, 303)
    const certificate = await ask(path, { cookie: compliance })
    assert.ok(certificate.body.includes('Keys destroyed'))
    assert.ok(certificate.body.includes('Asked by letter'))
    assert.ok(!certificate.body.includes(email))
    for (const page of ['/console/customers', `/console/orders/${order.id}`, '/console/orders', '/console/audit']) {
      const seen = await ask(page, { cookie: compliance })
      assert.equal(seen.status, 200, page)
      assert.ok(!seen.body.includes(email), page)
    }
    assert.ok(!(await ask(`/console/customers?q=gone.for`, { cookie: compliance })).body.includes(customer))
    assert.equal((await exchange.api(`/v1/transaction/${order.id}`)).status, 409)
    await until(async () => (await readAtTwin()) === 409, 'the other process to forget the person')

    const note = { action: 'note', text: 'What became of this?' }
    assert.equal((await press(`/console/orders/${order.id}`, compliance, note)).status, 409)
    const again = await commandLineOf(exchange).cambio('customer', 'erase', customer, '--reason', 'Again')
    assert.match(again.err, /was erased before/)
    assert.equal((await read(exchange, other.id)).email, 'stays@example.com')
    for (const [table, dump] of await everyTable(exchange.ownerUrl)) assert.ok(!isIn(dump, email), table)
    await assertBooksHold(exchange)
  })

  it('may come back with the same address, as somebody new, whose limits count what was exchanged before', async () => {
    const [before] = await lookup<{ count: number }>(exchange, 'select count(*)::int from customers', [])
    const again = await buy(exchange, withEmail(email))
    assert.equal((await read(exchange, again.id)).email, email)
    const [after] = await lookup<{ count: number; same: number }>(
      exchange,
      `select (select count(*)::int from customers) as count, count(*)::int as same
       from transactions join lateral same_person(customer_id) on true where public_id = $1`,
      [again.id],
    )
    assert.equal(after?.count, (before?.count ?? 0) + 1)
    assert.equal(after?.same, 2)
  })

  it('is erased by the command line, too, with a certificate', async () => {
    const id = customerOf(await buy(exchange, withEmail('by.command@example.com')))
    const { customers, keys } = await commandLineOf(exchange).told<Erased>('customer', 'erase', id, '--reason', 'Asked')
    assert.deepEqual(customers, [id])
    assert.ok(keys > 0)
  })
})
