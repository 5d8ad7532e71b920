import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { holdTransaction } from '../../src/exchange/operations/staff.ts'
import { outcomePlace } from '../../src/exchange/sign-in/once.ts'
import { unseal } from '../../src/platform/privacy/seal.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup, pay, read, readyToPay, seen } from '../support/journey.ts'
import { actionOf, formsIn, valuesOf } from '../support/page-forms.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  await makeOperators(exchange)
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const { ask, as } = staffBrowser(() => exchange)

/** The form of a page for an action, as it is shown to somebody. */
async function formOf(path: string, cookie: string, action: string): Promise<Record<string, string>> {
  const { body } = await ask(path, { cookie })
  const found = formsIn(body, path).find((form) => actionOf(form) === action)
  return found ? valuesOf(found) : assert.fail(`${path} has no form for ${action}`)
}

describe('a form of the console', () => {
  it('that is sent twice at once, and once more later, refunds once, and shows what the first one did', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '200' })
    await holdTransaction(ctx(), BigInt(id), { reason: 'A test asks for it.', actor: 'cli:test' })
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '200')
    const cookie = await as('support')
    const path = `/console/orders/${id}`
    const form: Record<string, string> = {
      ...(await formOf(path, cookie, 'refund')),
      amount: '40',
      reason: 'A part of it.',
    }
    const press = () => ask(path, { cookie, form })
    const answers = [...(await Promise.all([press(), press()])), await press()]
    for (const { status, headers } of answers) assert.deepEqual([status, headers.get('location')], [303, path])
    const refunds = await lookup<{ amount: bigint }>(
      exchange,
      `select refunds.amount from refunds join transactions on transactions.id = transaction_id where transactions.public_id = $1`,
      [id],
    )
    assert.equal(refunds.length, 1)
    const audit = await lookup(exchange, `select 1 from audit where subject = $1 and action = 'transaction.refunded'`, [
      `transaction:${id}`,
    ])
    assert.equal(audit.length, 1)

    const fresh: Record<string, string> = {
      ...(await formOf(path, cookie, 'refund')),
      amount: '30',
      reason: 'Another part.',
    }
    assert.notEqual(fresh.once, form.once)
    assert.equal((await ask(path, { cookie, form: fresh })).status, 303)
    assert.equal((await read(exchange, id)).refunds.length, 2, 'the same form of a new page is another one')
  })

  it('that was refused can be sent again, and has what was typed', async () => {
    const { id } = await readyToPay(exchange, { from_amount: '200' })
    const cookie = await as('support')
    const path = `/console/orders/${id}`
    const form = await formOf(path, cookie, 'hold')
    const refused = await ask(path, { cookie, form: { ...form, reason: ' ' } })
    assert.equal(refused.status, 400)
    assert.match(refused.body, /role="alert"[^<]*>\s*A reason is required\./)
    assert.equal((await ask(path, { cookie, form: { ...form, reason: 'Looks odd.' } })).status, 303)
    await pay(exchange, id)
    await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '200')
    const release = { ...(await formOf(path, cookie, 'refund')), amount: 'many', reason: 'I typed <this>.' }
    const again = await ask(path, { cookie, form: release })
    assert.equal(again.status, 400)
    const kept = formsIn(again.body, path).find((one) => actionOf(one) === 'refund') ?? assert.fail('no form')
    assert.deepEqual([valuesOf(kept).amount, valuesOf(kept).reason], ['many', 'I typed <this>.'])
  })

  it('that makes a secret shows it once: the second use makes nothing, and nothing that is stored has it', async () => {
    const cookie = await as('admin')
    const path = `/console/partners/${exchange.sandbox.partner_id}`
    const form: Record<string, string> = { ...(await formOf(path, cookie, 'create')), label: 'made twice' }
    const first = await ask(path, { cookie, form })
    const [, secret = ''] = /not shown again[\s\S]*?<code class="wrap">([^<]+)<\/code>/.exec(first.body) ?? []
    assert.ok(secret.length > 20, first.body)
    const second = await ask(path, { cookie, form })
    assert.ok(!second.body.includes(secret), 'the answer to the second use has the secret')
    assert.deepEqual([second.status, second.headers.get('location')], [303, path])
    const [done = ''] = (second.headers.get('set-cookie') ?? '').split(';')
    const after = await ask(path, { cookie: `${cookie}; ${done}` })
    assert.match(after.body, /This form has been used\. What it made was shown once\./)
    assert.ok(!after.body.includes(secret))
    assert.equal((await lookup(exchange, `select 1 from api_keys where label = 'made twice'`)).length, 1)
    const used = await lookup<{ id: bigint; outcome: Buffer }>(
      exchange,
      `select id, outcome from used_forms where outcome is not null`,
    )
    const { sealing } = ctx().secrets
    const stored = used.map(({ id, outcome }) => unseal(sealing, outcome, outcomePlace(id)).toString('utf8'))
    assert.ok(stored.some((text) => text.includes('shown once')))
    for (const text of stored) assert.ok(!text.includes(secret), 'a secret is stored')
  })

  it('can be used by one session only', async () => {
    const { id } = await readyToPay(exchange)
    const [cookie, other] = [await as('support'), await as('support')]
    const path = `/console/orders/${id}`
    const [one, two] = [await formOf(path, cookie, 'note'), await formOf(path, other, 'note')]
    const texts = { cookie, form: { ...one, text: 'First.' } }
    assert.equal((await ask(path, texts)).status, 303)
    const same = { ...two, once: one.once ?? '', text: 'Second.' }
    assert.equal((await ask(path, { cookie: other, form: same })).status, 303)
    const notes = await lookup(exchange, `select 1 from audit where subject = $1 and action = 'transaction.noted'`, [
      `transaction:${id}`,
    ])
    assert.equal(notes.length, 2)
  })
})
