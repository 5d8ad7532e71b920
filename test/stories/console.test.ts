import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { createOperator } from '../../src/exchange/operators/operator.ts'
import { permissionsOf, roles } from '../../src/exchange/operators/roles.ts'
import { pages } from '../../src/doors/console/pages.ts'
import { euros, totalOf } from '../../src/doors/ui/report-figures.ts'
import { reportOf, spanOf } from '../../src/exchange/reports/report.ts'
import { everythingValued } from '../support/profit.ts'
import { profitAndLoss } from '../../src/exchange/treasury/profit.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { makeOperators, password, placeOf, staffBrowser } from '../support/staff-browser.ts'
import { arrive, buy, lookup, readyToPay, read } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx

const { ask, as, signIn, press } = staffBrowser(() => exchange)

describe('the console', () => {
  it('leads everybody without a session to the sign-in page, and takes the right password only', async () => {
    for (const { path } of pages) {
      const seen = await ask(path.replace(':id', '123456789012345'))
      assert.deepEqual([seen.status, seen.headers.get('location')?.split('?')[0]], [303, '/console/sign-in'], path)
    }
    const wrong = await ask('/console/sign-in', { form: { email: 'support@example.com', password: 'wrong' } })
    assert.equal(wrong.status, 401)
    assert.ok(!wrong.body.includes('wrong"'), 'what was typed as a password is not shown')
    const nobody = await ask('/console/sign-in', { form: { email: 'nobody@example.com', password } })
    assert.equal(nobody.status, 401)
    const cookie = await as('support')
    assert.equal((await ask('/console', { cookie })).status, 200)
    const foreign = await ask('/console/sign-in', {
      form: { email: 'support@example.com', password },
      headers: { origin: 'https://evil.example' },
    })
    assert.equal(foreign.status, 403)
    const elsewhere = await ask('/console/sign-in?to=//evil.example', {
      form: { email: 'support@example.com', password },
    })
    assert.equal(elsewhere.headers.get('location'), '/console')
  })

  it('lets the operator of the sandbox in with the password alone', async () => {
    const { email, password: own } = exchange.sandbox.operator
    const seen = await ask('/console/sign-in', { form: { email, password: own } })
    assert.equal(seen.status, 303)
  })

  it('answers every page by every role: 200 with the permission, 403 without, and no page can be framed or cached', async () => {
    const { id: order, customer_id: customer } = await readyToPay(exchange)
    const about = { order, partner: exchange.sandbox.partner_id, customer: customer ?? assert.fail('nobody') }
    for (const role of roles) {
      const cookie = await as(role)
      for (const { path, needs } of pages) {
        const place = placeOf(path, about)
        const query = path.endsWith('journal') ? '?month=2026-11&format=csv' : ''
        const seen = await ask(place + query, { cookie })
        const may = needs === undefined || permissionsOf[role].has(needs)
        assert.equal(seen.status, may ? 200 : 403, `${role} ${path}: ${seen.body.slice(0, 200)}`)
        assert.match(seen.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
        assert.equal(seen.headers.get('cache-control'), 'no-store')
      }
    }
  })

  it('finds an order by half an e-mail address, by id, amount and hash, and gives the same as CSV', async () => {
    const order = await readyToPay(exchange, { from_amount: '137.31' })
    const done = await buy(exchange)
    const email = order.email ?? assert.fail('the order has no e-mail address')
    const half = email.slice(3, 20)
    const cookie = await as('support')
    const found = async (query: string): Promise<string[]> =>
      [...(await ask(`/console/orders?${query}`, { cookie })).body.matchAll(/href="\/console\/orders\/(\d+)"/g)].map(
        ([, id = '']) => id,
      )
    assert.deepEqual(await found(`q=${half}`), [order.id])
    assert.deepEqual(await found(`q=${encodeURIComponent(email.slice(12, 30).toUpperCase())}`), [order.id])
    assert.deepEqual(await found(`q=${order.id}`), [order.id])
    assert.deepEqual(await found('q=137.31'), [order.id])
    assert.deepEqual(await found(`q=${done.output_hash}`), [done.id])
    assert.deepEqual(await found('q=nobody-has-this'), [])
    assert.ok((await found('status=finished')).includes(done.id))
    assert.ok(!(await found('status=finished')).includes(order.id))
    const csv = await ask(`/console/orders.csv?q=${half}`, { cookie })
    assert.match(csv.body, new RegExp(`^id,created_at.*\\r\\n${order.id},`, 's'))
    assert.ok(csv.body.includes(email))
    const viewer = await as('viewer')
    const hidden = await ask(`/console/orders?q=${half}`, { cookie: viewer })
    assert.ok(!hidden.body.includes(email), 'a viewer does not see whole addresses')
  })

  it('holds, releases, notes and refunds with a reason, each by its permission and audited', async () => {
    const { id } = await readyToPay(exchange)
    const path = `/console/orders/${id}`
    const cookie = await as('support')
    assert.equal((await press(path, cookie, { action: 'hold', reason: '' })).status, 400)
    assert.equal((await press(path, cookie, { action: 'hold', reason: 'Looks odd.' })).status, 303)
    await arrive(exchange, id, 'on_hold')
    assert.equal((await press(path, cookie, { action: 'hold', reason: 'Again.' })).status, 409)
    const viewer = await as('viewer')
    assert.equal((await press(path, viewer, { action: 'release', reason: 'I may not.' })).status, 403)
    assert.equal((await press(path, cookie, { action: 'note', text: 'Called <b>her</b>.' })).status, 303)
    const shown = (await ask(path, { cookie })).body
    assert.ok(shown.includes('Called &lt;b>her&lt;/b>.') || shown.includes('Called &lt;b&gt;her&lt;/b&gt;.'))
    assert.equal((await press(path, cookie, { action: 'refund', reason: 'Nothing came.' })).status, 409)
    assert.equal((await press(path, cookie, { action: 'cancel', reason: 'Asked for.' })).status, 303)
    assert.equal((await read(exchange, id)).status, 'cancelled')
    const audit = await lookup<{ action: string; actor: string }>(
      exchange,
      `select action, actor from audit where subject = $1 and action <> 'transaction.viewed' order by id`,
      [`transaction:${id}`],
    )
    assert.deepEqual(
      audit.map(({ action }) => action),
      ['transaction.held', 'transaction.noted', 'transaction.cancelled'],
    )
    assert.ok(audit.every(({ actor }) => actor.startsWith('operator:')))
  })

  it('takes no form without the token of this session, and none of another site', async () => {
    const { id } = await readyToPay(exchange)
    const [cookie, other] = [await as('support'), await as('admin')]
    const path = `/console/orders/${id}`
    const form = { action: 'hold', reason: 'Forged.' }
    assert.equal((await ask(path, { cookie, form })).status, 403)
    const page = (await ask(path, { cookie: other })).body
    const [, csrf = ''] = /name="csrf" value="([^"]+)"/.exec(page) ?? []
    assert.equal((await ask(path, { cookie, form: { ...form, csrf } })).status, 403)
    assert.equal(
      (await ask(path, { cookie: other, form: { ...form, csrf }, headers: { origin: 'https://evil.example' } })).status,
      403,
    )
    assert.notEqual((await read(exchange, id)).status, 'on_hold')
  })

  it('ends sessions at sign-out, after half an hour without use, and when an operator is disabled; a role changes at once', async () => {
    const admin = await as('admin')
    const first = await as('finance')
    assert.equal((await ask('/console/sign-out', { cookie: first, form: {} })).status, 303)
    assert.equal((await ask('/console', { cookie: first })).status, 303)

    const idle = await as('finance')
    await asOwner(exchange.ownerUrl, (client) =>
      client.query(`update operator_sessions set last_used_at = now() - interval '31 minutes'
        where operator_id = (select id from operators where email = 'finance@example.com')`),
    )
    assert.equal((await ask('/console', { cookie: idle })).status, 303)

    await createOperator(ctx(), { email: 'temp@example.com', password, role: 'support' }, 'cli:test')
    const temp = await signIn('temp@example.com')
    assert.equal((await ask('/console/audit', { cookie: temp })).status, 403)
    assert.equal(
      (await press('/console/team', admin, { action: 'role', email: 'temp@example.com', role: 'compliance' })).status,
      303,
    )
    assert.equal((await ask('/console/audit', { cookie: temp })).status, 200)
    assert.equal((await press('/console/team', admin, { action: 'disable', email: 'temp@example.com' })).status, 303)
    assert.equal((await ask('/console', { cookie: temp })).status, 303)
    assert.equal((await ask('/console/sign-in', { form: { email: 'temp@example.com', password } })).status, 401)
  })

  it('halts payouts at once, says so on the first page, and resumes only when two operators want it', async () => {
    const [support, finance] = [await as('support'), await as('finance')]
    const path = '/console/system'
    assert.equal((await press(path, support, { action: 'halt', scope: 'payouts', reason: '' })).status, 400)
    assert.equal((await press(path, support, { action: 'halt', scope: 'payouts', reason: 'A drill.' })).status, 303)
    assert.match((await ask('/console', { cookie: support })).body, /data-need="rail".*No payout leaves: A drill\./s)
    const again = { action: 'resume', scope: 'payouts', reason: 'The drill is over.' }
    assert.equal((await press(path, support, again)).status, 303)
    assert.equal((await press(path, support, again)).status, 409)
    assert.match((await ask(path, { cookie: finance })).body, /Resume, as the second/)
    assert.equal((await press(path, finance, again)).status, 303)
    assert.ok(!(await ask('/console', { cookie: support })).body.includes('Halted'))
    assert.equal((await press(path, await as('viewer'), { ...again, action: 'halt' })).status, 403)
  })

  it('reports a day, a week or a month with the numbers of the command and of the ledger', async () => {
    await buy(exchange)
    await everythingValued(ctx())
    const cookie = await as('finance')
    const today = ctx().clock.now().toISOString().slice(0, 10)
    for (const span of ['day', 'week', 'month'] as const) {
      const rows = await reportOf(ctx(), spanOf(span, today))
      const { volume_eur, fees_eur, profit_eur } = totalOf(rows)
      const { body } = await ask(`/console/reports?span=${span}&date=${today}`, { cookie })
      const [, total = ''] = /<strong>Total<\/strong>(.*?)<\/tr>/s.exec(body) ?? []
      const shown = [...total.matchAll(/data-amount="([^"]*)"/g)].map(([, amount]) => amount)
      assert.deepEqual(shown, [volume_eur, fees_eur, profit_eur])
      const csv = await ask(`/console/reports.csv?span=${span}&date=${today}`, { cookie })
      assert.equal(csv.body.trimEnd().split('\r\n').length, rows.length + 1)
    }
    const profit = await profitAndLoss(ctx(), { since: today, until: today })
    const sum = profit.reduce((all, { total }) => all + total, 0n)
    assert.ok((await ask('/console/reports', { cookie })).body.includes(`data-amount="${euros(sum)}"`))
    assert.equal((await ask('/console/reports?date=2026-13-01', { cookie })).status, 400)
  })

  it('exports a journal that adds up to zero in every entry and asset', async () => {
    await buy(exchange)
    const cookie = await as('finance')
    const month = ctx().clock.now().toISOString().slice(0, 7)
    const csv = (await ask(`/console/reports/journal?month=${month}&format=csv`, { cookie })).body
    const [head, ...lines] = csv.trimEnd().split('\n')
    assert.equal(head, 'date,entry_id,transaction_id,account,asset,amount,kind')
    const sums = new Map<string, bigint>()
    for (const line of lines) {
      const [, entry = '', , , asset = '', amount = ''] = line.split(',')
      const [whole = '', fraction = ''] = amount.replace('-', '').split('.')
      const units = BigInt(whole + fraction.padEnd(18, '0')) * (amount.startsWith('-') ? -1n : 1n)
      const name = `${entry} ${asset}`
      sums.set(name, (sums.get(name) ?? 0n) + units)
    }
    assert.ok(sums.size > 3)
    assert.deepEqual(new Set(sums.values()), new Set([0n]))
    const [booked] = await lookup<{ count: bigint }>(exchange, 'select count(*) * 2 as count from postings', [])
    assert.equal(String(lines.length), String(booked?.count))
    const plain = (await ask(`/console/reports/journal?month=${month}&format=ledger`, { cookie })).body
    assert.match(
      plain,
      /^\d{4}-\d\d-\d\d deposit ; entry \d+, transaction \d{15}\n {4}held:card-processor {2}100 "EUR-EUR"$/m,
    )
    assert.equal((await ask('/console/reports/journal?month=2026-13', { cookie })).status, 400)
  })
})
