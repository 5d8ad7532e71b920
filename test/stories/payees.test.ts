import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import { refundTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { endPayout } from '../../src/exchange/settlement/end-payout.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { openBalance } from '../../src/exchange/treasury/balances.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { whole } from '../support/billing.ts'
import { camt, type CamtEntry, pain002 } from '../support/camt.ts'
import type { Exchange } from '../support/exchange.ts'
import { debitOf, euros, type FolderBank } from '../support/folder-bank.ts'
import { arrive, assertBooksHold, bookBalance, checkOut, create, lookup, pay } from '../support/journey.ts'
import { payersAt } from '../support/payers.ts'
import { contact, newEmail } from '../support/shared-identity.ts'
import { someone } from '../support/signing.ts'
import { makeOperators, staffBrowser } from '../support/staff-browser.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let story: BankExchange
let exchange: Exchange
const browser = staffBrowser(() => exchange)
const { policy } = payersAt(() => story)
const email = newEmail()
const account = 'DE89370400440532013000'
const own = `${whole.first_name} ${whole.last_name}`
const staff = { reason: 'The customer showed that the account is theirs.', actor: 'cli:test' }

before(async () => {
  story = await startBankExchange()
  ;({ exchange } = story)
  stopMarket(exchange)
  await makeOperators(exchange)
  const { ctx } = exchange.service.composition
  await openBalance(ctx, { account: 'bank-1', asset: 'EUR-EUR', amount: '5000', ...staff })
})
after(() => story.stop())

/** A sale of this customer to the account of all their sales, until its money leaves or waits. */
async function sold(status: string): Promise<TransactionRecord> {
  const customer = { ...contact(email).customer, billing_info: whole }
  const { id } = await create(exchange, { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR', customer })
  await checkOut(exchange, id, { payout_address: account })
  await pay(exchange, id)
  return arrive(exchange, id, status)
}

type FolderOrder = ReturnType<FolderBank['collect']>[number]

const ordered = async (): Promise<FolderOrder> => {
  const orders: ReturnType<FolderBank['collect']> = []
  await until(() => Promise.resolve(orders.push(...story.bank.collect()) > 0), 'a payment file')
  return orders[0] ?? assert.fail()
}

let opening = 500_000n
let debits: CamtEntry[] = []

/** The statement of what was paid out; the books agree with it. */
async function stated(): Promise<void> {
  const closing = await bookBalance(exchange, 'held:bank-1', 'EUR-EUR')
  const id = `S-${opening}`
  story.bank.drop(`${id}.xml`, camt({ id, opening: euros(opening), closing: euros(closing), entries: debits }))
  await story.taken()
  ;[opening, debits] = [closing, []]
  await assertBooksHold(exchange)
}

/** The bank says who holds the account, and carries the payment out. */
async function paid(id: string, status: string, names: string[]): Promise<void> {
  const order = await ordered()
  debits.push(debitOf(order))
  said(order, { status, names })
  await story.taken()
  said(order, { status: 'ACSC' })
  await arrive(exchange, id, 'finished')
}

it('a payee whom the bank does not know holds what is paid to the same account later, until staff release it', async () => {
  await policy({ mismatch: 'accept', least_score: '0.8', payee: 'hold' })
  const first = await sold('sending')
  await paid(first.id, 'RVMC', [own.toUpperCase()])
  const second = await sold('sending')
  await paid(second.id, 'RVNM', ['Otto Anders'])

  const held = await sold('on_hold')
  assert.equal(held.status_details, 'review')
  assert.equal(
    held.status_history.at(-1)?.reason,
    'A bank has said that somebody else holds the account that gets the money.',
  )
  assert.deepEqual(story.bank.collect(), [])
  const { ctx } = exchange.service.composition
  await releaseTransaction(ctx, BigInt(held.id), staff)
  await arrive(exchange, held.id, 'sending')
  await paid(held.id, 'RVNM', ['Otto Anders'])
  const next = await sold('sending')
  await paid(next.id, 'RVNM', ['Otto Anders'])
  const after = await sold('sending')
  await paid(after.id, 'RVNM', ['Berta Anders'])
  const heldAgain = await sold('on_hold')
  await releaseTransaction(ctx, BigInt(heldAgain.id), staff)
  await arrive(exchange, heldAgain.id, 'sending')
  await paid(heldAgain.id, 'RCVC', [])

  const { body } = await browser.ask(`/console/orders/${second.id}`, { cookie: await browser.as('admin') })
  const table = /<h2 id="payees">[^]*?<tbody>([^]*?)<\/tbody>/.exec(body)?.[1] ?? assert.fail('no table of payees')
  const cells = [...table.matchAll(/<td[^>]*>([^]*?)<\/td>/g)].map(([, cell = '']) => cell.replaceAll(/<[^>]*>/g, ''))
  const [payout] = await lookup<{ id: string }>(
    exchange,
    `select payouts.id::text from payouts join transactions on transactions.id = transaction_id where public_id = $1`,
    [second.id],
  )
  assert.deepEqual(cells, [payout?.id, 'bank-1', 'Another name', 'Otto Anders', `${own} (not verified)`, '0.000'])
  await stated()
})

it('where the policy only warns, or says nothing, later payouts to the account leave', async () => {
  await policy({ mismatch: 'accept', least_score: '0.8' })
  const { id } = await sold('sending')
  await paid(id, 'RVNM', ['Otto Anders'])
  await policy({ mismatch: 'accept', least_score: '0.8', payee: 'warn' })
  const next = await sold('sending')
  await paid(next.id, 'RCVC', [])
  await stated()
})

/** What is done while no process exchanges files with the bank. */
async function unfollowed(work: () => Promise<void>): Promise<void> {
  const follows = (holder: string) => lookup(exchange, `update iso20022_rails set ${holder} where rail = 'bank-1'`)
  await follows(`holder = 'another process', lease_until = now() + interval '1 hour'`)
  await work()
  await follows('holder = null, lease_until = null')
}

/** What the bank says of a payment that is in a file. */
function said({ messageId, part, endToEndId }: FolderOrder, one: { status: string; names?: string[] }): void {
  const parts = [{ id: part, payments: [{ endToEndId, ...one }] }]
  story.bank.drop(`${one.status}-${endToEndId}.xml`, pain002({ messageId, group: 'PART', parts }))
}

/** An order whose payment waits for its file, and is held by what the bank says of one before it. */
async function heldInQueue(names: string[]): Promise<TransactionRecord> {
  const first = await sold('sending')
  const order = await ordered()
  let waiting: TransactionRecord | undefined
  await unfollowed(async () => {
    waiting = await sold('sending')
    const queued = () => lookup(exchange, `select from iso20022_payments where state = 'queued'`)
    await until(async () => (await queued()).length > 0, 'the queued payment')
    said(order, { status: 'RVNM', names })
  })
  const held = await arrive(exchange, waiting?.id ?? '', 'on_hold')
  debits.push(debitOf(order))
  said(order, { status: 'ACSC' })
  await arrive(exchange, first.id, 'finished')
  assert.deepEqual(story.bank.collect(), [])
  return held
}

it('a payment that waits for its file is held by an answer that comes before, and leaves once it is released, once', async () => {
  await policy({ mismatch: 'accept', least_score: '0.8', payee: 'hold' })
  const held = await heldInQueue(['Carla Anders'])
  assert.equal(held.status_details, 'review')
  await assertBooksHold(exchange)
  const { ctx } = exchange.service.composition
  await releaseTransaction(ctx, BigInt(held.id), staff)
  await arrive(exchange, held.id, 'sending')
  await paid(held.id, 'RVNM', ['Carla Anders'])
  await stated()
  assert.deepEqual(story.bank.collect(), [])
})

it('a payment that is held in the queue is ended by two operators, and its money goes back', async () => {
  const held = await heldInQueue(['Dora Anders'])
  const { ctx } = exchange.service.composition
  const [payout] = await lookup<{ id: string }>(
    exchange,
    `select payouts.id::text from payouts join transactions on transactions.id = transaction_id where public_id = $1`,
    [held.id],
  )
  for (const _ of [1, 2])
    await endPayout(ctx, BigInt(payout?.id ?? ''), { operator: await someone(ctx), reason: 'Not the customer.' })
  await until(async () => {
    const [one] = await lookup<{ state: string }>(exchange, `select state from payouts where id = $1`, [payout?.id])
    return one?.state === 'failed'
  }, 'the end of the payout')
  await refundTransaction(ctx, BigInt(held.id), staff)
  await arrive(exchange, held.id, 'refunded')
  assert.deepEqual(story.bank.collect(), [])
  await stated()
})
