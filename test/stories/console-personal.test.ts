import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { pages } from '../../src/doors/console/pages.ts'
import { holdTransaction, refundTransaction } from '../../src/exchange/operations/staff.ts'
import { listSuspense } from '../../src/exchange/operations/suspense.ts'
import { permissionsOf, type Role, roles } from '../../src/exchange/operators/roles.ts'
import { listOpenPayouts } from '../../src/exchange/settlement/approval.ts'
import { readCustomerOf } from '../../src/exchange/transactions/customer-of.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { lookup, pay, readyToPay, seen } from '../support/journey.ts'
import { putInForce } from '../support/policies.ts'
import { waitingPayout } from '../support/signing.ts'
import { makeOperators, placeOf, staffBrowser } from '../support/staff-browser.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { until } from '../support/telling.ts'

const reason = 'The card of Grace Hopper was stolen.'
let exchange: Exchange
/** An order whose payout waits for approval, and one whose refund does. */
let orders: string[]
/** What tells who a customer or a payer is. */
let personal: string[]
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const document = { payouts: { above: '500', currency: 'EUR' }, policies: 'one_operator' }
  await putInForce(ctx(), { kind: 'approvals', document })
  await makeOperators(exchange)
  const paid = await waitingPayout(exchange)
  const { id } = await readyToPay(exchange, { from_amount: '600', deposit: { payment_category: 'SEPA' } })
  await holdTransaction(ctx(), BigInt(id), { reason: 'A look.', actor: 'cli:test' })
  await pay(exchange, id)
  await seen(exchange, id, 'the money', ({ from_amount: came }) => came === '600')
  await until(async () => {
    const final = `select 1 from deposits join transactions on transactions.id = transaction_id where public_id = $1 and deposits.state = 'final'`
    return (await lookup(exchange, final, [id])).length > 0
  }, 'the payment to be final')
  await refundTransaction(ctx(), BigInt(id), { reason, actor: 'cli:test' })
  const waits = () => listOpenPayouts(ctx(), { waiting: true })
  await until(async () => (await waits()).length === 2, 'the refund to wait for approval')
  await strayDeposit(exchange, () => pay(exchange, id, { reference: 'rent for May' }))
  orders = [paid.id, id]
  const customers = await Promise.all((await waits()).map((one) => readCustomerOf(ctx(), one.transaction_id)))
  const places = (await waits()).flatMap(({ content }) =>
    Object.values((content?.destination ?? {}) as Record<string, unknown>),
  )
  const payers = (await listSuspense(ctx())).flatMap(({ details }) => [details?.name, details?.account])
  personal = [...new Set([...customers, ...places, ...payers].filter((one): one is string => typeof one === 'string'))]
    .filter((one) => one.length > 3)
    .map((one) => one.replaceAll('&', '&amp;'))
})
after(() => exchange.stop())

const ctx = () => exchange.service.composition.ctx
const { ask, as } = staffBrowser(() => exchange)
const mayRead = (role: Role): boolean =>
  permissionsOf[role].has('customers.view') || permissionsOf[role].has('payouts.approve')

/** Every page of the console, as a role gets it, and the two orders. */
async function pagesFor(role: Role): Promise<[path: string, body: string][]> {
  const cookie = await as(role)
  const about = { partner: exchange.sandbox.partner_id, customer: '1' }
  const paths = orders.flatMap((order) => pages.map(({ path }) => placeOf(path, { ...about, order })))
  const read: [string, string][] = []
  for (const path of new Set(paths)) read.push([path, (await ask(path, { cookie })).body])
  return read
}

describe('who a customer or a payer is', () => {
  it('is on no page for a role that may neither see customers nor approve payouts', async () => {
    assert.ok(personal.some((one) => one.includes('@')) && personal.length > 3, personal.join())
    const others = roles.filter((role) => !mayRead(role))
    assert.deepEqual(others, ['viewer'])
    for (const role of others) {
      for (const [path, body] of await pagesFor(role)) {
        const shown = personal.filter((one) => body.includes(one))
        assert.deepEqual(shown, [], `${role} at ${path}`)
      }
    }
    const cookie = await as('viewer')
    const money = (await ask('/console/money', { cookie })).body
    assert.match(money, /Payouts waiting for approval/)
    assert.ok(!money.includes(reason), money)
  })

  it('is shown to who approves, and the audit says who looked at which order', async () => {
    for (const role of roles.filter(mayRead)) {
      const cookie = await as(role)
      for (const path of ['/console/money', ...orders.map((id) => `/console/orders/${id}`)]) {
        await lookup(exchange, `delete from audit where action like '%viewed'`)
        const { body } = await ask(path, { cookie })
        assert.ok(
          personal.some((one) => body.includes(one)),
          `${role} at ${path}`,
        )
        const noted = await lookup<{ subject: string }>(
          exchange,
          `select subject from audit where action = 'transaction.viewed' and actor = (
            select 'operator:' || id from operators where email = '${role}@example.com') order by subject`,
        )
        const expected = path.endsWith('money') ? orders : orders.filter((id) => path.endsWith(id))
        assert.deepEqual(
          noted.map(({ subject }) => subject),
          expected.map((id) => `transaction:${id}`).toSorted(),
          `${role} at ${path}`,
        )
        const payers = await lookup(exchange, `select 1 from audit where action = 'suspense.viewed'`)
        assert.equal(payers.length, path.endsWith('money') ? 1 : 0)
      }
    }
  })
})
