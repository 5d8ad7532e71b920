import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { bookCharge } from '../../src/exchange/treasury/balances.ts'
import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import { advance, assertBooksHold, bookBalance, lookup, pay, readyToPay } from '../support/journey.ts'
import { foundAnew } from '../support/planted.ts'
import { strayDeposit } from '../support/stray-money.ts'
import { until } from '../support/telling.ts'

let cards: CardExchange
before(async () => {
  cards = await startCardExchange()
})
after(() => cards.stop())

/** Money at the bank without an order. */
async function arrived(amount: string): Promise<string> {
  const { exchange } = cards
  const { id } = await readyToPay(exchange, { from_amount: amount, deposit: { payment_category: 'SEPA' } })
  const reference = makeReference(createHash('sha256').update(id).digest())
  return String(await strayDeposit(exchange, () => pay(exchange, id, { reference })))
}

it('a processor’s payout to our bank is booked from suspense, and taken off what the processor holds', async () => {
  const { exchange } = cards
  const { ctx } = exchange.service.composition
  await cards.paid()
  const held = await cards.held()
  const transfers = await bookBalance(exchange, 'own-transfers', 'EUR-EUR')
  const deposit = await arrived('75')
  const order = { reason: 'Payout of June.', actor: 'cli:test', category: 'transfer' } as const

  for (const [money, change, field] of [
    [deposit, { from: 'nowhere' }, 'from'],
    [deposit, { from: 'cards', category: 'capital' }, 'from'],
    ['bk_1', { from: 'cards' }, 'from'],
  ] as const) {
    const refused = bookOwnMoney(ctx, money, { ...order, ...change })
    await assert.rejects(refused, ({ problems }: { problems: { path: string }[] }) => problems[0]?.path === field)
  }
  await bookOwnMoney(ctx, deposit, { ...order, from: 'cards' })
  await assert.rejects(bookOwnMoney(ctx, deposit, { ...order, from: 'cards' }), { code: 'CONFLICT' })
  assert.equal(await cards.held(), held - 7_500n)
  assert.equal(await bookBalance(exchange, 'suspense', 'EUR-EUR'), 0n)
  assert.equal(await bookBalance(exchange, 'own-transfers', 'EUR-EUR'), transfers)
  await advance(exchange, 'P4D')
  assert.deepEqual((await reconcile(ctx)).breaks, [])
  assert.deepEqual(await verify(ctx), [])
  await assertBooksHold(exchange)
})

it('a processor’s payout that differs from what it settled is found alone, and named', async () => {
  const { exchange } = cards
  const { ctx } = exchange.service.composition
  const known = new Set<bigint>()
  const order = { reason: 'Payout of July.', actor: 'cli:test', category: 'transfer' } as const
  const charged = (amount: string) => bookCharge(ctx, { account: 'cards', asset: 'EUR-EUR', amount, ...order })
  await cards.paid()
  await cards.paid()
  await assert.rejects(bookOwnMoney(ctx, await arrived('57'), { ...order, settled: '60' }), { code: 'BAD_REQUEST' })

  for (const [amount, settled, kept, cause] of [
    ['67', '70', '3', 'charge_not_booked'],
    ['60', '120', '60', 'other_amount'],
  ] as const) {
    await bookOwnMoney(ctx, await arrived(amount), { ...order, from: 'cards', settled })
    await advance(exchange, 'P4D')
    assert.deepEqual(await foundAnew(exchange, known), [['balance', cause, -BigInt(kept) * 100n]])
    await charged(kept)
    assert.deepEqual((await reconcile(ctx)).breaks, [])
  }
})

it('a charge that no payout of a processor has settled is refused, with how to book the payout', async () => {
  const { exchange } = cards
  const { ctx } = exchange.service.composition
  const order = { reason: 'Monthly fee.', actor: 'cli:test' }
  const charge = (amount: string) => bookCharge(ctx, { account: 'cards', asset: 'EUR-EUR', amount, ...order })
  await cards.paid()
  const refused = { code: 'CONFLICT', message: /suspense book ID --as transfer --from cards --settled AMOUNT/ }
  await assert.rejects(charge('10'), refused)
  await bookOwnMoney(ctx, await arrived('50'), { ...order, category: 'transfer', from: 'cards', settled: '60' })
  const both = await Promise.allSettled([charge('10'), charge('10')])
  assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
  await assert.rejects(charge('0.01'), refused)
  await advance(exchange, 'P4D')
  assert.deepEqual((await reconcile(ctx)).breaks, [])
  await assertBooksHold(exchange)
})

it('a charge is refused while the processor takes a payment back and this is not booked yet', async () => {
  const { exchange, fake } = cards
  const { ctx } = exchange.service.composition
  const charge = (amount: string) =>
    bookCharge(ctx, { account: 'cards', asset: 'EUR-EUR', amount, reason: 'Monthly fee.', actor: 'cli:test' })
  const { payment } = await cards.paid()
  const before = await cards.held()
  await ctx.db.atomic(async (db) => {
    // Whoever settles what a rail reports waits for this lock.
    await db.sql`select pg_advisory_xact_lock(hashtextextended(${`cards ${payment.payment_id}`}, 0))`
    fake.change(payment.payment_id, { status: 'cancelled_post_capture' })
    await cards.deliver()
    const sql = `select from rail_events where reverses and payment = $1`
    await until(async () => (await lookup(exchange, sql, [payment.payment_id])).length > 0, 'the void')
    await assert.rejects(charge('10'), { code: 'CONFLICT', message: /not booked yet/ })
  })
  await until(async () => (await cards.held()) < before, 'the reversal')
  await assert.rejects(charge('10'), { code: 'CONFLICT', message: /suspense book ID/ })
  await assertBooksHold(exchange)
})
