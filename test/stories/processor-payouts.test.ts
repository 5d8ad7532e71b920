import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, it } from 'node:test'

import { verify } from '../../src/exchange/checks/verify.ts'
import { bookOwnMoney } from '../../src/exchange/operations/own-money.ts'
import { createToken } from '../../src/exchange/operators/token.ts'
import { refundTransaction } from '../../src/exchange/operations/staff.ts'
import { reconcile } from '../../src/exchange/reconciliation/reconcile.ts'
import { openBalance } from '../../src/exchange/treasury/balances.ts'
import { bookCharge } from '../../src/exchange/treasury/charge.ts'
import type { Db } from '../../src/platform/db/sql.ts'
import { makeReference } from '../../src/reference/bank/creditor-reference.ts'
import { type CardExchange, startCardExchange } from '../support/card-exchange.ts'
import { advance, arrive, assertBooksHold, bookBalance, lookup, pay, readyToPay } from '../support/journey.ts'
import { foundAnew } from '../support/planted.ts'
import { someone } from '../support/signing.ts'
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

const charged = { reason: 'Monthly fee.', actor: 'cli:test' }

/** Has the processor report something that is not booked before `meanwhile` has ended: settling it waits for what `locks`. */
async function unbooked(
  locks: (db: Db) => Promise<unknown>,
  report: () => Promise<unknown>,
  meanwhile: () => Promise<void>,
): Promise<void> {
  const reported = () => lookup(cards.exchange, 'select from rail_events where rail = $1', ['cards'])
  await cards.exchange.service.composition.ctx.db.atomic(async (db) => {
    const before = (await reported()).length
    await locks(db)
    await report()
    await until(async () => (await reported()).length > before, 'the report')
    await meanwhile()
  })
}

const charge = (amount: string, left?: string) =>
  bookCharge(cards.exchange.service.composition.ctx, { ...charged, account: 'cards', asset: 'EUR-EUR', amount, left })

it('what a processor takes back and is not booked yet cannot be charged, and what its payouts leave can', async () => {
  const { exchange, fake } = cards
  const { ctx } = exchange.service.composition
  const { payment } = await cards.paid()
  await bookOwnMoney(ctx, await arrived('57'), { ...charged, category: 'transfer', from: 'cards', settled: '60' })
  const settling = `cards ${payment.payment_id}`
  const lock = (db: Db) => db.sql`select pg_advisory_xact_lock(hashtextextended(${settling}, 0))`
  const takesBack = () => {
    fake.change(payment.payment_id, { status: 'cancelled_post_capture' })
    return cards.deliver()
  }
  await unbooked(lock, takesBack, async () => {
    await assert.rejects(charge('3.01'), { code: 'CONFLICT', message: /leave 3 EUR open.*has left it is not booked/ })
    await charge('1')
  })
  await advance(exchange, 'P4D')
  await assert.rejects(charge('2.01'), { code: 'CONFLICT', message: /leave 2 EUR open/ })
  await charge('2')
  assert.deepEqual((await reconcile(ctx)).breaks, [])
  await assertBooksHold(exchange)
})

it('what a processor has paid back to a customer and is not booked yet cannot be charged', async () => {
  const { exchange, fake } = cards
  const { ctx } = exchange.service.composition
  const { id, payment } = await cards.atThePage()
  fake.pay(payment.payment_id, { amount_received: 4_200 })
  await cards.deliver()
  await arrive(exchange, id, 'on_hold')
  await refundTransaction(ctx, BigInt(id), charged)
  await until(() => fake.refunds.size > 0, 'the refund')
  const [most, back] = [await cards.held(), 4_200]
  const leftOf = (cents: number) => ((Number(most) - back - cents) / 100).toFixed(2)
  await assert.rejects(charge('0.01', leftOf(0)), { code: 'CONFLICT', message: /leaves 0 EUR open.* 42 EUR / })
  const lock = (db: Db) => db.sql`select from plans where rail = 'cards' and state <> 'done' for update`
  const paysBack = () => {
    fake.settle()
    return cards.deliver()
  }
  await unbooked(lock, paysBack, () =>
    assert.rejects(charge('0.01'), { code: 'CONFLICT', message: /leave 0 EUR open.* 42 EUR .*is not booked/ }),
  )
  await arrive(exchange, id, 'refunded')
  await assert.rejects(charge('0.01'), { code: 'CONFLICT', message: /leave 0 EUR open, and/ })
  await assertBooksHold(exchange)
})

it('a last fee that no payout follows is charged by what the processor says that it holds still, by two operators', async () => {
  const { exchange } = cards
  const { ctx } = exchange.service.composition
  await cards.paid()
  const most = Number(await cards.held()) / 100
  const left = (rest: number) => (most - rest).toFixed(2)
  const lines = await Promise.all(
    ['first', 'second'].map(async () => {
      const { text } = await createToken(ctx, (await someone(ctx)).email, 'test')
      return cards.line({ OPERATOR_TOKEN: text })
    }),
  )
  const by = async (operator: 0 | 1, amount: string, rest: number): Promise<unknown> => {
    const flags = ['--account', 'cards', '--asset', 'EUR-EUR', '--amount', amount, '--left', left(rest), '--json']
    const words = ['balance', 'charge', '--reason', 'Last fee.', ...flags]
    const { exitCode, out, err } = await (lines[operator] ?? assert.fail()).cambio(...words)
    return exitCode === 0 ? (JSON.parse(out) as { booked: boolean }).booked : err
  }
  assert.match(String(await by(0, '12.01', 12)), /leaves 12 EUR open/)
  assert.equal(await by(0, '5', 12), false)
  assert.equal((await cards.held()) / 100n, BigInt(most), 'one operator books nothing')
  assert.match(String(await by(0, '5', 12)), /another operator must/)
  assert.equal(await by(1, '4', 12), false, 'another amount has its own approvals')
  assert.equal(await by(1, '5', 12), true)
  assert.equal(await by(0, '5', 12), false, 'what was approved before is approved for that charge only')
  assert.equal(await by(1, '7', 12), false)
  assert.equal(await by(0, '7', 12), true)
  assert.equal(Number(await cards.held()) / 100, most - 12)
  assert.match(String(await by(1, '0.01', 12)), /leaves 0 EUR open/)
  await assert.rejects(charge('0.01'), { code: 'CONFLICT', message: /--left/ })
  await advance(exchange, 'P4D')
  assert.deepEqual((await reconcile(ctx)).breaks, [])
  await assertBooksHold(exchange)
})

it('what a processor held before the exchange began is booked, and is no difference', async () => {
  const { exchange } = cards
  const { ctx } = exchange.service.composition
  await cards.paid()
  await openBalance(ctx, { ...charged, account: 'cards', asset: 'EUR-EUR', amount: '70' })
  await bookOwnMoney(ctx, await arrived('60'), { ...charged, category: 'transfer', from: 'cards', settled: '70' })
  await charge('10')
  await advance(exchange, 'P4D')
  assert.deepEqual((await reconcile(ctx)).breaks, [])
  await assertBooksHold(exchange)
})

it('what was booked as held by a processor before its own total had it is in that by the migration, once', async () => {
  const { exchange } = cards
  const { ctx } = exchange.service.composition
  const text = readFileSync('migrations/0219-openings-at-processors.sql', 'utf8')
  const [carry = ''] = /insert into processor_movements[^;]*;/.exec(text) ?? []
  const openings = `key in (select 'payout:' || ref from entries where kind = 'capital')`
  await lookup(exchange, `delete from processor_movements where ${openings}`)
  assert.notDeepEqual((await reconcile(ctx)).breaks, [])
  for (const _ of [1, 2]) await lookup(exchange, carry)
  assert.equal((await lookup(exchange, `select from processor_movements where ${openings}`)).length, 1)
  await advance(exchange, 'P4D')
  assert.deepEqual((await reconcile(ctx)).breaks, [])
})
