import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import type { Answer, Exchange } from '../support/exchange.ts'
import { startExchange } from '../support/exchange.ts'
import { lookup, advance, arrive, create, pay, type Refused } from '../support/journey.ts'
import { importNew, newEmail } from '../support/shared-identity.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' }, undefined, { policies: 'shipped' })
})
after(() => exchange.stop())

type Checked = TransactionRecord & Refused

const order = (email: string, from_amount: number, category = 'SEPA'): Promise<TransactionRecord> =>
  create(exchange, { from_amount, customer: { contact_info: { email } }, deposit: { payment_category: category } })
const checkout = ({ id }: Pick<TransactionRecord, 'id'>): Promise<Answer<Checked>> =>
  exchange.api<Checked>(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
const outcomeOf = ({ status, body }: Answer<Checked>) => [status, body.errors[0]?.code ?? body.status]
const ready = [201, 'waiting_for_deposit']
const over = [403, 'CUSTOMER_LIMIT']

/** Somebody whom no check can let exchange more, at an address and its alias. */
async function rejected(name: string, ...aliases: string[]): Promise<string[]> {
  const all = [name, ...aliases]
  for (const email of all) await importNew(exchange, 'rejected', email)
  return all
}

describe('an unverified person may exchange 1,000 EUR in 30 days', () => {
  it('by whichever alias of an e-mail address, with every tag and dot', async () => {
    const [plain = '', tagged = '', dotted = ''] = await rejected(
      'jane.doe.limits@gmail.com',
      'jane.doe.limits+shop@gmail.com',
      'Jane.Doe.Li.mits@googlemail.com',
    )
    assert.deepEqual(outcomeOf(await checkout(await order(plain, 600))), ready)
    assert.deepEqual(outcomeOf(await checkout(await order(tagged, 500))), over)
    assert.deepEqual(outcomeOf(await checkout(await order(tagged, 400))), ready)
    assert.deepEqual(outcomeOf(await checkout(await order(dotted, 60))), over)
  })

  it('at once by two aliases: one of them gets the rest', async () => {
    const [one = '', other = ''] = await rejected('at.once@gmail.com', 'atonce+2@gmail.com')
    const orders = await Promise.all([order(one, 700), order(other, 700)])
    const outcomes = (await Promise.all(orders.map(checkout))).map(({ status }) => status)
    assert.deepEqual(
      outcomes.toSorted((a, b) => a - b),
      [201, 403],
    )
  })

  it('and an order counts until it ends unpaid', async () => {
    const [email = ''] = await rejected(newEmail())
    const first = await order(email, 900)
    assert.deepEqual(outcomeOf(await checkout(first)), ready)
    assert.deepEqual(outcomeOf(await checkout(await order(email, 200))), over)
    await advance(exchange, 'P11D')
    await arrive(exchange, first.id, 'expired')
    assert.deepEqual(outcomeOf(await checkout(await order(email, 900))), ready)
  })

  it('by one card, whatever the address: staff decide about more', async () => {
    const [one, other] = [newEmail(), newEmail()]
    const orders = [await order(one, 800, 'VISA_MC'), await order(other, 800, 'VISA_MC')]
    for (const made of orders) assert.deepEqual(outcomeOf(await checkout(made)), ready)
    const [first, second] = orders.map(({ id }) => id)
    const { world, service } = exchange
    const { payAtPage } = await import('../../src/sandbox/processor/page.ts')
    const { paymentOf } = await import('../../src/sandbox/api/pay.ts')
    const holder = 'Ada Lovelace'
    const partner = BigInt(exchange.sandbox.partner_id)
    for (const id of [first, second]) {
      await payAtPage(world, await paymentOf(service.composition.ctx, partner, BigInt(id ?? '')), holder)
      if (id === first) await arrive(exchange, first ?? '', 'finished')
    }
    const record = await arrive(exchange, second ?? '', 'on_hold')
    assert.deepEqual([record.status_details, record.to_amount], ['review', null])
    const [decided] = await lookup<{ policies: Record<string, number> }>(
      exchange,
      `select policies from decision_policies join transactions on transactions.id = transaction_id where public_id = ${second}`,
    )
    assert.deepEqual(Object.keys(decided?.policies ?? {}).toSorted(), ['countries', 'limits', 'risk', 'screening'])
    assert.equal(decided?.policies.limits, service.composition.ctx.policies.at(new Date(), 'limits', partner).version)
  })

  it('and two customers who pay with cards of their own do not count for each other', async () => {
    for (const email of [newEmail(), newEmail()]) {
      const made = await order(email, 800, 'VISA_MC')
      assert.deepEqual(outcomeOf(await checkout(made)), ready)
      await pay(exchange, made.id)
      await arrive(exchange, made.id, 'finished')
    }
  })
})
