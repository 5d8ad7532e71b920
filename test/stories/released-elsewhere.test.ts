import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { destinationPlace } from '../../src/exchange/settlement/payout.ts'
import type { Destination } from '../../src/rails/rail.ts'
import { payDeposit } from '../../src/sandbox/api/pay.ts'
import { holdTransaction, refundTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { bankAccount, type Calls, callsOf, halfBitcoin, made, wallet } from '../support/b2b.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, lookup, pay } from '../support/journey.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let calls: Calls
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1' })
  calls = callsOf(exchange)
})
after(() => exchange.stop())

const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const ctxOf = () => exchange.service.composition.ctx
const become = (id: string, status: string) => until(async () => (await calls.read(id)).status === status, status)

/** Where the last payout of a transaction goes. */
async function destinationOf(id: string): Promise<Destination> {
  const { db, keyring } = ctxOf()
  const rows = await db.sql<{ id: bigint; data_key_id: bigint; destination: Buffer }>`
    select payouts.id, payouts.data_key_id, destination from payouts
    join transactions on transactions.id = transaction_id where public_id = ${BigInt(id)} order by payouts.id`
  const last = rows.at(-1)
  assert.ok(last)
  return (await keyring.get(db, last.data_key_id)).open<Destination>(last.destination, destinationPlace(last.id))
}

/** Orders dollars to one account, held by a person who names the other one: before the money is there, or after. */
async function payElsewhere(accounts: [string, string], { isPaid }: { isPaid: boolean }): Promise<void> {
  const between = { bank_name: 'Between', bank_address: 'Road 1', bank_country: 'US', swift_bic_number: 'SBBKUS30001' }
  const dollars = (holder: string, account: string) => ({
    payment_category: 'SWIFT',
    address: { account_name: holder, account_number: account, swift: 'SBBKUS30XXX' },
  })
  const first = await made(calls.addBank({ ...dollars('First Inc', accounts[0]), intermediary_address: between }))
  const { id } = await made(calls.order({ ...halfBitcoin, to_currency: 'USD', payout_address_id: first.id }))
  await holdTransaction(ctxOf(), BigInt(id), order)
  const other = await made(calls.addBank(dollars('Second Inc', accounts[1])))
  const euro = await made(calls.addBank(bankAccount(`euro ${accounts[0]}`)))
  const to = (address: { id: string }) =>
    releaseTransaction(ctxOf(), BigInt(id), { ...order, payTo: BigInt(address.id) })
  await assert.rejects(to(euro), { code: 'CONFLICT' })
  if (isPaid) {
    await pay(exchange, id)
    await until(async () => (await calls.read(id)).from_amount === '0.5', 'the money')
  }
  await to(other)
  if (!isPaid) await pay(exchange, id)
  await become(id, 'finished')
  const { address, holder, intermediary } = await destinationOf(id)
  assert.deepEqual([address, holder, intermediary], [accounts[1], 'Second Inc', undefined])
  await assertBooksHold(exchange)
}

it("an institution is paid to the other account that it names: its holder, its bank, and no bank of the first one's", async () => {
  await payElsewhere(['000123456789', '000123456780'], { isPaid: false })
  await payElsewhere(['000123456781', '000123456782'], { isPaid: true })
})

it('a refund of coins that nobody can send back goes to a registered wallet of the institution', async () => {
  const euro = await made(calls.addBank(bankAccount('home')))
  const { id, partner_id: partner } = await made(calls.order({ ...halfBitcoin, payout_address_id: euro.id }))
  const who = { partnerId: BigInt(partner), publicId: BigInt(id) }
  await payDeposit(ctxOf(), exchange.world, {
    ...who,
    deposit: { units: 9_000_000n, isPooled: true },
  })
  await become(id, 'on_hold')
  await refundTransaction(ctxOf(), BigInt(id), order)
  await until(async () => (await calls.read(id)).status_details === 'address_needed', 'the question')
  await assert.rejects(releaseTransaction(ctxOf(), BigInt(id), order), { code: 'CONFLICT' })
  const home = await made(calls.addWallet(wallet('home')))
  await releaseTransaction(ctxOf(), BigInt(id), { ...order, payTo: BigInt(home.id) })
  await become(id, 'refunded')
  const [sent] = await lookup(exchange, 'select from sandbox.transfers where recipient = $1', [
    String(wallet('home').wallet_address),
  ])
  assert.ok(sent)
  await assertBooksHold(exchange)
})
