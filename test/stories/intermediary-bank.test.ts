import assert from 'node:assert/strict'
import { test } from 'node:test'

import { preparedPlace } from '../../src/exchange/settlement/prepared-payment.ts'
import type { PlanBody } from '../../src/rails/rail.ts'
import { type Body, callsOf, halfBitcoin, made } from '../support/b2b.ts'
import { startExchange } from '../support/exchange.ts'
import { pay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

test("a bank in between is told to the rail, where an institution's account has one", async (t) => {
  const exchange = await startExchange({ RATE_LIMITS: 'off' })
  t.after(() => exchange.stop())
  const calls = callsOf(exchange)
  const { ctx } = exchange.service.composition

  /** What the bank was told of a payout in dollars to a new account. */
  const planFor = async (account: string, change: Body): Promise<PlanBody> => {
    const address = { account_name: 'Treasury Inc', account_number: account, swift: 'SBBKUS30XXX' }
    const { id } = await made(calls.addBank({ payment_category: 'SWIFT', address, ...change }))
    const order = await made(calls.order({ ...halfBitcoin, to_currency: 'USD', payout_address_id: id }))
    await pay(exchange, order.id)
    await until(async () => (await calls.read(order.id)).status === 'finished', 'the payout')
    const [plan] = await ctx.db.sql<{ id: bigint; data_key_id: bigint; body: Buffer }>`
      select plans.id, plans.data_key_id, body from plans join payouts on plan_id = plans.id
      join transactions on transactions.id = transaction_id where public_id = ${BigInt(order.id)}`
    assert(plan)
    return (await ctx.keyring.get(ctx.db, plan.data_key_id)).open<PlanBody>(plan.body, preparedPlace(plan.id))
  }

  const between = { bank_name: 'Between', bank_address: 'Road 1', bank_country: 'US', swift_bic_number: 'SBBKUS30001' }
  const told = await planFor('000123456789', { intermediary_address: between })
  assert.deepEqual([told.bic, told.intermediary], ['SBBKUS30XXX', 'SBBKUS30001'])
  const plain = await planFor('000123456780', {})
  assert.equal('intermediary' in plain, false)
})
