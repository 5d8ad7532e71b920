import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { verify as verifyWebhook } from '../../sdk/src/index.ts'
import { closeDay } from '../../src/exchange/reconciliation/close.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { camt, type CamtEntry, pain002 } from '../support/camt.ts'
import { type BankOrder, debitOf, euros } from '../support/folder-bank.ts'
import type { FakePayment } from '../support/hyperswitch-world.ts'
import {
  arrive,
  bookBalance,
  create,
  eventsOf,
  lookup,
  referenceOf,
  seen,
  settled,
  statusesOf,
  whileLocked,
} from '../support/journey.ts'
import { passChallenge, submitAt } from '../support/hyperswitch.ts'
import { type Customer, type LiveExchange, startLiveExchange } from '../support/live-exchange.ts'
import { assertProfitAddsUp } from '../support/profit.ts'
import { until } from '../support/telling.ts'

/** Where the coins of an order go: each to a place of its own, since a shared one is held for review. */
const walletOf = (id: string): string => `0x${id.padStart(40, '0')}`
const account = { name: 'Ada Lovelace', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }
const today = (): string => new Date().toISOString().slice(0, 10)

let exchange: LiveExchange
/** Every order of the story. */
const orders: string[] = []

before(async () => {
  exchange = await startLiveExchange()
})
after(() => exchange.stop())

/** Creates an order as the partner, and opens its checkout as its customer. */
async function begin(body: object): Promise<{ id: string; customer: Customer }> {
  const { id, redirect_url: url } = await create(exchange, { ...body })
  orders.push(id)
  return { id, customer: await exchange.customer(url, `customer-${orders.length}@example.org`) }
}

const buyEther = (category: string) => ({ to_currency: 'ETH', deposit: { payment_category: category } })

const bookings = (...entries: CamtEntry[]): void =>
  exchange.bank.state(
    entries.map((entry) => ({ date: today(), ...entry })),
    { date: today() },
  )

describe('an exchange with real money', () => {
  it('pays out coins for a SEPA transfer that the bank’s statement reports', async () => {
    const { id, customer } = await begin(buyEther('SEPA'))
    await customer.send({ do: 'payout_address', payout_address: walletOf(id), confirms: walletOf(id) })
    bookings(credit(await referenceOf(exchange, id), 'C-1'))
    await assertPaidInCoins(id)
  })

  it('pays a sale with a payment file, which a status report and a notification confirm', async () => {
    const { id, order } = await sell()
    exchange.bank.drop('accepted.xml', pain002({ messageId: order.messageId, group: 'ACSC' }))
    const { output_hash: hash } = await arrive(exchange, id, 'finished')
    assert.equal(hash, order.endToEndId)
    const debit = { ...debitOf(order), date: today() }
    exchange.bank.drop('notified.xml', camt({ kind: '054', id: 'N-1', date: today(), entries: [debit] }))
    bookings(debit)
  })

  it('pays out coins for a card payment that its bank authenticated', async () => {
    const { id } = await paidByCard()
    await assertPaidInCoins(id)
  })

  it('reconciles while the chain has moved coins that are not booked yet, in and out', async () => {
    const sale = await offerCoins()
    await whileLocked(exchange, sale.id, async () => {
      await exchange.anvil.send({ to: sale.address, value: 10n ** 17n })
      const isFinal = "select 1 from rail_events where reference = $1 and kind = 'deposit_final'"
      await until(async () => (await lookup(exchange, isFinal, [sale.address])).length > 0, 'the coins')
      await assertReconciled()
    })
    bookings(debitOf(await paymentOrder()))
    await arrive(exchange, sale.id, 'finished')

    const { id, page } = await atTheProcessor()
    const before = await exchange.anvil.balance(walletOf(id))
    await passChallenge(page)
    await callBack()
    await arrive(exchange, id, 'sending')
    await whileLocked(exchange, id, async () => {
      await until(async () => (await exchange.anvil.balance(walletOf(id))) > before, 'the coins')
      await exchange.anvil.mine(2)
      await assertReconciled()
    })
    await assertPaidInCoins(id)
  })

  it('lets a customer whose card is declined pay with another one', async () => {
    const { id, customer, page, payment } = await atTheProcessor()
    await submitAt(page, { card: '4000000000000002' })
    await callBack()
    assert.equal(payment.status, 'failed')
    const { id: another, page: next } = await press(customer)
    assert.notEqual(another, payment.payment_id)
    await passChallenge(next)
    await callBack()
    await assertPaidInCoins(id)
  })

  it('refunds a card payment whose order staff have stopped', async () => {
    const { id, page, payment } = await atTheProcessor()
    await exchange.told('transaction', 'hold', id, '--reason', 'A question about the customer.')
    await passChallenge(page)
    await callBack()
    await seen(exchange, id, 'the money', (record) => record.status === 'on_hold' && record.from_amount === '100')
    await exchange.told('transaction', 'refund', id, '--reason', 'The customer did not answer.')
    const refund = () => [...exchange.cards.refunds.values()].find((one) => one.payment_id === payment.payment_id)
    await until(() => refund() !== undefined, 'the refund')
    assert.equal(refund()?.amount, 100_00)
    exchange.cards.settle()
    await callBack()
    const { refunds, to_amount: paidOut } = await arrive(exchange, id, 'refunded')
    assert.deepEqual([refunds.map(({ amount, status }) => [amount, status]), paidOut], [[['100', 'paid']], null])
  })

  for (const [end, loss] of [
    ['lost', 100_00n],
    ['won', 0n],
  ] as const) {
    it(`books a dispute that is ${end}: a loss of ${euros(loss)} euros`, async () => {
      const { id, payment } = await paidByCard()
      await arrive(exchange, id, 'finished')
      const losses = () => bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
      const before = await losses()
      const { dispute_id: dispute } = exchange.cards.dispute(payment.payment_id)
      await callBack()
      const { errors } = await seen(exchange, id, 'the chargeback', (record) => record.errors.length > 0)
      assert.deepEqual([errors.map(({ code }) => code), await losses()], [['payment_reversed'], before + 100_00n])
      exchange.cards.changeDispute(dispute, { dispute_status: `dispute_${end}` })
      await callBack()
      const ended = async () =>
        (await lookup(exchange, 'select 1 from disputes where dispute = $1 and state = $2', [dispute, end])).length > 0
      await until(ended, 'the end of the dispute')
      assert.equal(await losses(), before + loss)
    })
  }

  it('learns after a restart what happened meanwhile: a transfer, a card payment and a confirmed payout', async () => {
    const transfer = await begin(buyEther('SEPA'))
    const place = walletOf(transfer.id)
    await transfer.customer.send({ do: 'payout_address', payout_address: place, confirms: place })
    const reference = await referenceOf(exchange, transfer.id)
    const card = await atTheProcessor()
    const sale = await sell()

    await exchange.whileStopped(async () => {
      await passChallenge(card.page)
      exchange.cards.take()
      bookings(credit(reference, 'C-2'), debitOf(sale.order))
    })
    await assertPaidInCoins(transfer.id)
    await assertPaidInCoins(card.id)
    await arrive(exchange, sale.id, 'finished')
  })

  it('delivers every event of every order in order, with a valid signature', async () => {
    await settled(exchange)
    for (const id of orders) {
      const events = await eventsOf<TransactionRecord>(exchange, id)
      const delivered = () => exchange.receiver.all.filter(({ body }) => streamOf(body) === id)
      await until(() => delivered().length === events.length, `${events.length} webhooks of ${id}`)
      const received = await Promise.all(
        delivered().map(({ headers, body }) => verifyWebhook(exchange.webhookSecret, headers, body)),
      )
      assert.deepEqual(
        received.map(({ type, sequence, payload }) => ({ type, sequence, payload })),
        events.map(({ type, payload }, index) => ({ type, sequence: index + 1, payload })),
      )
    }
  })

  it('holds what its bank, its processor and its wallet say, and nothing waits', async () => {
    assert.deepEqual(await exchange.told('verify'), { ok: true, problems: [] })
    await assertReconciled()
    assert.deepEqual(await exchange.told('stuck'), [])
    const { ok, problems } = await exchange.told<{ ok: boolean; problems: unknown[] }>('doctor')
    assert.deepEqual([ok, problems], [true, []])
  })

  it('closes the day without a break, with a profit that adds up to the ledger', async () => {
    const { ctx } = exchange.service.composition
    const profit = await assertProfitAddsUp(ctx, exchange.ownerUrl)
    ctx.clock.learnOffset(86_400_000)
    for (const day of new Set(profit.map((row) => row.day))) {
      const { breaksOpen, accounts, profit: closed } = await closeDay(ctx, day, 'test')
      const rows = profit.filter((row) => row.day === day)
      assert.deepEqual([breaksOpen, closed.map((row) => ({ day, ...row }))], [0, rows])
      assert.ok(accounts.every(({ account: of, closing }) => of !== 'customers' || closing === 0n))
    }
  })

  it('finds coins that left the wallet without a payout', async () => {
    await exchange.anvil.give(exchange.hot, (await exchange.anvil.balance(exchange.hot)) - 10n ** 18n)
    await exchange.anvil.mine(2)
    const { exitCode, out } = await exchange.cambio('reconcile', '--json')
    const { breaks } = JSON.parse(out) as { breaks: { account: string; kind: string; amount: string }[] }
    assert.deepEqual(
      [exitCode, breaks.map(({ account: of, kind, amount }) => [of, kind, amount])],
      [1, [['evm-eth', 'balance', '-1']]],
    )
  })
})

const streamOf = (body: string): string => (JSON.parse(body) as { payload: { id: string } }).payload.id

/** A transfer of 100 euros on our account. */
const credit = (remittance: string, servicerReference: string): CamtEntry => ({
  amount: '100.00',
  servicerReference,
  payments: [{ remittance, amount: '100.00', payer: account }],
})

/** A sale of 0.1 ether whose customer was told where to send it. */
async function offerCoins(): Promise<{ id: string; address: string }> {
  const { id, customer } = await begin({ from_currency: 'ETH', from_amount: '0.1', to_currency: 'EUR' })
  const { iban, bic, name } = account
  await customer.send({ do: 'payout_address', payout_address: iban, extra_id: bic, payout_holder: name })
  const { deposit } = await seen(exchange, id, 'the address', (record) => Boolean(record.deposit?.address))
  return { id, address: deposit?.address ?? '' }
}

/** A sale whose coins came, and the payment that its file orders. */
async function sell(): Promise<{ id: string; order: BankOrder }> {
  const { id, address } = await offerCoins()
  await exchange.anvil.send({ to: address, value: 10n ** 17n })
  const order = await paymentOrder()
  const { to_amount: paidOut, expected_to_amount: expected } = await arrive(exchange, id, 'sending')
  assert.deepEqual([paidOut, order.account, euros(order.amount)], [null, account.iban, expected])
  return { id, order }
}

async function assertReconciled(): Promise<void> {
  assert.deepEqual(await exchange.told('reconcile'), { ok: true, breaks: [], on_its_way: 0 })
}

/** The payment that the next file orders. */
async function paymentOrder(): Promise<BankOrder> {
  const found: BankOrder[] = []
  await until(() => found.push(...exchange.bank.collect()) > 0, 'a payment file')
  assert.equal(found.length, 1)
  return found[0] ?? assert.fail()
}

/** A buy whose customer is at the processor's page. */
async function atTheProcessor() {
  const { id, customer } = await begin(buyEther('VISA_MC'))
  await customer.send({ do: 'payout_address', payout_address: walletOf(id), confirms: walletOf(id) })
  const { page, id: paymentId } = await press(customer)
  const payment: FakePayment = exchange.cards.payments.get(paymentId) ?? assert.fail('no payment')
  return { id, customer, page, payment }
}

async function press(customer: Customer): Promise<{ page: string; id: string }> {
  const page = await customer.send({ do: 'pay' })
  assert.equal(new URL(page).origin, exchange.cards.url)
  return { page, id: page.split('/').at(-1) ?? '' }
}

/** A card buy that passed 3-D Secure and is reported. */
async function paidByCard() {
  const order = await atTheProcessor()
  await passChallenge(order.page)
  await callBack()
  return order
}

/** The processor reports what happened. */
async function callBack(): Promise<void> {
  for (const status of await exchange.cards.deliver(`${exchange.url}/callbacks/cards`)) assert.equal(status, 200)
}

/** The order is finished, and its coins are on the chain. */
async function assertPaidInCoins(id: string): Promise<void> {
  const record = await arrive(exchange, id, 'finished')
  assert.deepEqual(statusesOf(record).slice(-4), ['waiting_for_deposit', 'exchanging', 'sending', 'finished'])
  const receipt = await exchange.anvil.ask<{ status: string; to: string }>(
    'eth_getTransactionReceipt',
    record.output_hash,
  )
  assert.deepEqual([receipt.status, receipt.to], ['0x1', walletOf(id)])
}
