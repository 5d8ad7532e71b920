import assert from 'node:assert/strict'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'

import { listNeeds } from '../../src/exchange/needs/list-needs.ts'
import { type BankExchange, startBankExchange } from '../support/bank-exchange.ts'
import { whole } from '../support/billing.ts'
import type { CamtEntry } from '../support/camt.ts'
import { camt, pain002 } from '../support/camt.ts'
import type { Exchange } from '../support/exchange.ts'
import { debitOf, type FolderBank } from '../support/folder-bank.ts'
import {
  advance,
  arrive,
  assertBooksHold,
  bookBalance,
  checkOut,
  create,
  lookup,
  owed,
  pay,
  read,
  seen,
} from '../support/journey.ts'
import { contact, newEmail } from '../support/shared-identity.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

const payer = { name: 'Erika Mustermann', iban: 'DE89370400440532013000', bic: 'COBADEFFXXX' }

let story: BankExchange
let folder = ''
let exchange: Exchange
let bank: FolderBank
let taken: BankExchange['taken']
let market: StillMarket
let count = 0

before(async () => {
  story = await startBankExchange()
  ;({ exchange, bank, folder, taken } = story)
  market = stopMarket(exchange)
})
after(() => story.stop())

const awaited = () => story.awaited('250')

const paid = (reference: string, amount = '250.00', change: Partial<CamtEntry> = {}): CamtEntry => {
  count += 1
  return { amount, servicerReference: `C-${count}`, payments: [{ remittance: reference, amount, payer }], ...change }
}

/** Waits until a file is refused, with its reason next to it, and removes it. */
async function refused(name: string): Promise<void> {
  const path = join(folder, 'in/refused', name)
  await until(() => existsSync(path), 'the refusal')
  assert.ok(existsSync(`${path}.reason.txt`))
  rmSync(path)
}

const ordered = async (): Promise<ReturnType<FolderBank['collect']>> => {
  const orders: ReturnType<FolderBank['collect']> = []
  await until(() => Promise.resolve(orders.push(...bank.collect()) > 0), 'a payment file')
  return orders
}

const suspense = async (): Promise<bigint> => -(await bookBalance(exchange, 'suspense', 'EUR-EUR'))

describe('a bank that exchanges files', () => {
  it('pays a buy: the statement is dropped into the folder, and the coins leave', async () => {
    const { id, reference } = await awaited()
    bank.state([paid(`Thank you ${reference.toLowerCase().replaceAll(/(.{4})/g, '$1 ')}`)])
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.from_amount, '250')
    assert.equal(await bookBalance(exchange, 'held:bank-1', 'EUR-EUR'), 25_000n)
    await assertBooksHold(exchange)
  })

  it('books one booking once, however many messages report it', async () => {
    const { id, reference } = await awaited()
    const held = await bookBalance(exchange, 'held:bank-1', 'EUR-EUR')
    const entry = paid(reference)
    bank.drop('camt052.xml', camt({ kind: '052', id: 'R1', entries: [{ ...entry, status: 'PDNG' }] }))
    await seen(exchange, id, 'confirming', ({ status_details: details }) => details === 'confirming')
    bank.drop('camt052-2.xml', camt({ kind: '052', id: 'R2', entries: [entry] }))
    bank.drop('camt054.xml', camt({ kind: '054', id: 'N1', entries: [entry] }))
    bank.state([entry])
    bank.drop('again.xml', camt({ kind: '054', id: 'N1', entries: [entry] }))
    await arrive(exchange, id, 'finished')
    await taken()
    assert.equal(await bookBalance(exchange, 'held:bank-1', 'EUR-EUR'), held + 25_000n)
    assert.equal(await suspense(), 0n)
    await assertBooksHold(exchange)
  })

  it('exchanges a buy that is a cent short, and holds one that is a cent below the tolerance', async () => {
    const [short, below] = [await awaited(), await awaited()]
    bank.state([paid(short.reference, '249.99'), paid(below.reference, '248.74')])
    assert.equal((await arrive(exchange, short.id, 'finished')).from_amount, '249.99')
    const record = await arrive(exchange, below.id, 'on_hold')
    assert.equal(record.status_details, 'underpaid')
    assert.equal(await owed(exchange, below.id, 'EUR-EUR'), 24_874n)
    await assertBooksHold(exchange)
  })

  it('keeps money without our reference, or with a wrong one, in suspense', async () => {
    const { id, reference } = await awaited()
    const mistyped = reference.slice(0, -1) + (reference.endsWith('A') ? 'B' : 'A')
    bank.state([paid('a present', '17.00'), paid(mistyped, '250.00')])
    await until(async () => (await suspense()) === 26_700n, 'the suspense')
    assert.equal((await read(exchange, id)).status, 'waiting_for_deposit')
    await assertBooksHold(exchange)
  })

  it('reads a statement of another version, with elements of the bank’s own', async () => {
    const { id, reference } = await awaited()
    const extra = '<b:Note xmlns:b="urn:bank:own"><b:Amt Ccy="EUR">999.00</b:Amt></b:Note>'
    bank.state([paid(reference, '250.00', { extra })], { version: '02', extra })
    assert.equal((await arrive(exchange, id, 'finished')).from_amount, '250')
    await assertBooksHold(exchange)
  })

  it('refuses a file that expands to more than it is, and takes those after it', async () => {
    const { id, reference } = await awaited()
    const bomb = '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;">]>'
    bank.drop('bomb.xml', camt({ id: 'BOMB', entries: [paid(reference)] }).replace('<Document', `${bomb}<Document`))
    await refused('bomb.xml')
    bank.state([paid(reference)])
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('exchanges a late transfer at the price of its arrival', async () => {
    const { id, reference } = await awaited()
    market.setPrice('BTC', 1_002n)
    bank.state([paid(reference)])
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.to_amount, record.expected_to_amount)
    await assertBooksHold(exchange)
  })

  it('books what the bank charges as a cost of the method', async () => {
    const [costs, network] = [
      await bookBalance(exchange, 'method-costs', 'EUR-EUR'),
      await bookBalance(exchange, 'network-fees', 'EUR-EUR'),
    ]
    count += 1
    bank.state([{ amount: '4.00', debit: true, code: 'CHRG', servicerReference: `C-${count}` }])
    await taken()
    assert.equal(await bookBalance(exchange, 'method-costs', 'EUR-EUR'), costs + 400n)
    assert.equal(await bookBalance(exchange, 'network-fees', 'EUR-EUR'), network)
    await assertBooksHold(exchange)
  })

  it('owes what was recalled no longer', async () => {
    const { id, reference } = await awaited()
    bank.state([paid(reference, '200.00')])
    await arrive(exchange, id, 'on_hold')
    bank.state([paid(reference, '200.00', { debit: true, code: 'RRCT' })])
    await seen(exchange, id, 'the recall', ({ from_amount: arrived }) => arrived === '0')
    assert.equal(await owed(exchange, id, 'EUR-EUR'), 0n)
    await assertBooksHold(exchange)
  })

  it('books a recall after the coins have left as a loss, once', async () => {
    const { id, reference } = await awaited()
    bank.state([paid(reference)])
    const { to_amount: paidOut } = await arrive(exchange, id, 'finished')
    const losses = await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR')
    const recall = paid(reference, '250.00', { debit: true, code: 'RRCT' })
    bank.drop('recall.xml', camt({ kind: '054', id: 'N-R', entries: [recall] }))
    bank.state([recall])
    const record = await seen(exchange, id, 'the recall', ({ errors }) => errors.length > 0)
    await taken()
    assert.deepEqual(
      [record.status, record.to_amount, record.errors.map(({ code }) => code)],
      ['finished', paidOut, ['payment_reversed']],
    )
    assert.equal(await bookBalance(exchange, 'losses:chargebacks', 'EUR-EUR'), losses + 25_000n)
    await assertBooksHold(exchange)
  })

  it('credits nothing of a statement that does not add up', async () => {
    const { id, reference } = await awaited()
    const held = await bookBalance(exchange, 'held:bank-1', 'EUR-EUR')
    const wrong = camt({ id: 'WRONG', number: 900, opening: '0.00', closing: '250.01', entries: [paid(reference)] })
    bank.drop('wrong.xml', wrong)
    await refused('wrong.xml')
    assert.equal(await bookBalance(exchange, 'held:bank-1', 'EUR-EUR'), held)
    assert.equal((await exchange.api<{ status: string }>(`/v1/transaction/${id}`)).body.status, 'waiting_for_deposit')
  })
})

describe('a sale that is paid out by a payment file', () => {
  async function sold(more: object = {}): Promise<{ id: string; amount: string }> {
    const body = { from_currency: 'BTC', from_amount: '0.001', to_currency: 'EUR', ...more }
    const { id } = await create(exchange, body)
    await checkOut(exchange, id)
    await pay(exchange, id)
    const record = await arrive(exchange, id, 'sending')
    return { id, amount: record.expected_to_amount ?? '' }
  }

  it('is finished by a status report, and the debit of the statement is the same payment', async () => {
    const { id } = await sold()
    const [order] = await ordered()
    assert(order)
    bank.drop('accepted.xml', pain002({ messageId: order.messageId, group: 'ACTC' }))
    await taken()
    assert.equal((await exchange.api<{ status: string }>(`/v1/transaction/${id}`)).body.status, 'sending')
    bank.drop('done.xml', pain002({ messageId: order.messageId, group: 'ACSC' }))
    const record = await arrive(exchange, id, 'finished')
    assert.equal(record.output_hash, order.endToEndId)
    bank.drop('camt054-debit.xml', camt({ kind: '054', id: 'N-D', entries: [debitOf(order)] }))
    bank.state([debitOf(order)])
    await taken()
    await assertBooksHold(exchange)
  })

  it('needs a person while the payee’s bank has another name for the account, who reads the name that it has', async () => {
    const customer = { ...contact(newEmail()).customer, billing_info: whole }
    const { id } = await sold({ customer })
    const [order] = await ordered()
    assert(order)
    const { ctx } = exchange.service.composition
    const needs = async (): Promise<string[]> => (await listNeeds(ctx)).map(({ cause }) => cause)
    const say = (status: string, names: string[]): void => {
      const payments = [{ endToEndId: order.endToEndId, status, names }]
      const text = pain002({ messageId: order.messageId, group: 'PART', parts: [{ id: order.part, payments }] })
      bank.drop(`payee-${status}.xml`, text)
    }
    say('RVMC', ['Erika Musterfrau'])
    await until(async () => (await needs()).includes('payee close'), 'the need')
    say('RVNM', ['Otto Anders'])
    await until(async () => (await needs()).includes('payee none'), 'the other need')
    const [payout] = await lookup<{ id: string }>(
      exchange,
      `select payouts.id::text from payouts join plans on plans.id = plan_id where plan_key = $1`,
      [order.endToEndId],
    )
    const shown = async (): Promise<unknown> =>
      (await story.line.told<{ payee: unknown }>('payout', 'show', payout?.id ?? '')).payee
    const own = `${whole.first_name} ${whole.last_name}`
    const compared = { customer: own, is_verified: false }
    assert.deepEqual(await shown(), { match: 'none', names: 'Otto Anders', ...compared, score: '0.000' })
    const sentences = async (): Promise<string> => (await listNeeds(ctx)).map(({ sentence }) => sentence).join('\n')
    assert.match(await sentences(), /likeness to the customer’s name: 0\.000/)
    say('RVMC', ['OTTO ANDERS', own.toUpperCase()])
    await until(async () => (await sentences()).includes('name: 1.000'), 'the most alike of two names')
    const names = `OTTO ANDERS; ${own.toUpperCase()}`
    assert.deepEqual(await shown(), { match: 'close', names, ...compared, score: '1.000' })
    bank.drop('confirmed.xml', pain002({ messageId: order.messageId, group: 'ACSC' }))
    bank.state([debitOf(order)])
    await arrive(exchange, id, 'finished')
    assert.deepEqual(
      (await needs()).filter((cause) => cause.startsWith('payee')),
      [],
    )
    await assertBooksHold(exchange)
  })

  it('is finished by the debit alone where the status report is lost', async () => {
    const { id } = await sold()
    const orders = await ordered()
    bank.state(orders.map(debitOf))
    await arrive(exchange, id, 'finished')
    await assertBooksHold(exchange)
  })

  it('is held for staff when the bank refuses it, and asks for another account when it comes back four days later', async () => {
    const refused = await sold()
    const [order] = await ordered()
    assert(order)
    const parts = [{ id: order.part, payments: [{ endToEndId: order.endToEndId, status: 'RJCT', reason: 'AC04' }] }]
    bank.drop('refused.xml', pain002({ messageId: order.messageId, group: 'RJCT', parts }))
    const record = await arrive(exchange, refused.id, 'on_hold')
    assert.equal(record.status_details, 'review')

    const returned = await sold()
    const [other] = await ordered()
    assert(other)
    bank.state([debitOf(other)])
    await arrive(exchange, returned.id, 'finished')
    await advance(exchange, 'P4D')
    const back = { ...debitOf(other), debit: false, servicerReference: 'BACK-1', code: 'RRTN' }
    bank.state([back])
    await seen(exchange, returned.id, 'the return', ({ status_details: details }) => details === 'address_needed')
    await assertBooksHold(exchange)
  })
})
