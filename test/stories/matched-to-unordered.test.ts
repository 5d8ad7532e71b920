import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { Refusal } from '../../src/platform/lib/refusal.ts'
import { cancelByCustomer } from '../../src/exchange/orders/choose.ts'
import { listSuspense, matchSuspense } from '../../src/exchange/operations/suspense.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, create, pay, readyToPay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

it('money of nobody’s is not given to a transaction that ended before anybody was told how to pay for it', async () => {
  const { ctx } = exchange.service.composition
  const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
  const { id: other } = await readyToPay(exchange, transfer)
  await pay(exchange, other, { reference: 'nobody' })
  await until(async () => (await listSuspense(ctx)).length === 1, 'suspense')
  const [deposit] = await listSuspense(ctx)
  const { id } = await create(exchange, transfer)
  await cancelByCustomer(ctx, BigInt(id))

  const order = { reason: 'a test', actor: 'a test' }
  await assert.rejects(
    matchSuspense(ctx, deposit?.id ?? 0n, BigInt(id), order),
    (error) => error instanceof Refusal && error.code === 'CONFLICT',
  )
  await matchSuspense(ctx, deposit?.id ?? 0n, BigInt(other), order)
  await assertBooksHold(exchange)
})
