import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { matchSuspense } from '../../src/exchange/operations/suspense.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, assertBooksHold, pay, readyToPay } from '../support/journey.ts'
import { asOwner } from '../support/server.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { backendsWait } from '../support/waiting.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const ctxOf = () => exchange.service.composition.ctx
const order = { reason: 'A test asks for it.', actor: 'cli:test' }

/** An order of 1,000 euro for which ten times as much has come, by a name that nobody knows. */
async function tenTimes(email: string): Promise<{ id: string; deposit: bigint }> {
  const theirs = { customer: { contact_info: { email } }, deposit: { payment_category: 'SEPA' } }
  const { id } = await readyToPay(exchange, { ...theirs, from_amount: '1000' })
  const reference = `rent of ${id.slice(0, 6)}`
  return { id, deposit: await strayDeposit(exchange, () => pay(exchange, id, { amount: '12000', reference })) }
}

it('two overpayments of one customer in the same moment never exchange more together than their limit leaves', async () => {
  const orders = [await tenTimes('twice@example.com'), await tenTimes('twice@example.com')]
  // Both are let as far as they come before either commits: to what every payout of the coin waits for.
  await asOwner(exchange.ownerUrl, async (client) => {
    await client.query('begin')
    await client.query(`insert into reserves (place, asset, covered, reserved) values ('wallet-btc', 'BTC-BTC', 0, 0)
      on conflict (place, asset) do update set covered = reserves.covered`)
    const matched = orders.map(({ id, deposit }) => matchSuspense(ctxOf(), deposit, BigInt(id), order))
    await backendsWait(exchange, 2)
    await client.query('commit')
    await Promise.all(matched)
  })
  const records = await Promise.all(orders.map(({ id }) => arrive(exchange, id, 'finished')))
  const exchanged = records.reduce((sum, one) => sum + BigInt(one.expected_from_amount), 0n)
  assert.ok(exchanged <= 20_000n, `${exchanged} were exchanged`)
  await assertBooksHold(exchange)
})
