import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { decideBlock } from '../../src/exchange/customers/block.ts'
import { askForRefund, customerChoices } from '../../src/exchange/orders/choose.ts'
import { holdTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { tidOf } from '../support/checkout-link.ts'
import { callBack, captured, referenceOf } from '../support/callback.ts'
import { titleOf } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { visitor } from '../support/identity-check.ts'
import {
  advance,
  arrive,
  buy,
  checkOut,
  lookup,
  pay,
  railEvent,
  readyToPay,
  seen,
  settled,
} from '../support/journey.ts'
import { newEmail } from '../support/shared-identity.ts'
import { type StillMarket, stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
let market: StillMarket
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,TRX=1' })
  market = stopMarket(exchange)
})
after(() => exchange.stop())

const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }
const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const tether = { from_amount: '100', from_currency: 'USDT', from_network: 'TRX', to_currency: 'EUR' }
const order = { reason: 'A test asks for it.', actor: 'cli:test' }
const ctxOf = () => exchange.service.composition.ctx

type Letter = { kind: string; subject: string; text: string; html: string }

/** The letters that ask something about an order, the oldest first. */
async function lettersAbout(id: string): Promise<Letter[]> {
  const { body } = await exchange.api<Letter[]>('/v1/sandbox/mail')
  const tid = await tidOf(exchange, id)
  return body.filter(({ kind, text }) => kind === 'action_needed' && text.includes(`tid=${tid}\n`)).toReversed()
}

/** There are as many letters about an order as there are words, and each asks so. */
async function assertAsked(id: string, ...words: RegExp[]): Promise<void> {
  const letters = await lettersAbout(id)
  assert.equal(letters.length, words.length, letters.map(({ text }) => text).join('\n'))
  for (const [index, word] of words.entries()) {
    const { subject = '', text = '' } = letters[index] ?? {}
    assert.match(subject, /^Your order at .+ is waiting for you$/)
    assert.match(text, word)
    assert.match(text, new RegExp(`View your order:\n${exchange.url}/en/checkout\\?tid=${await tidOf(exchange, id)}\n`))
  }
}

const waits = (id: string, details: string) =>
  seen(exchange, id, details, (record) => record.status === 'on_hold' && record.status_details === details)

/** A sell of which too little came, whose refund has come back. */
async function refundReturned(): Promise<string> {
  const { id } = await readyToPay(exchange, sale)
  await pay(exchange, id, { amount: '0.002' })
  await waits(id, 'underpaid')
  await askForRefund(ctxOf(), BigInt(id))
  await arrive(exchange, id, 'refunded')
  await railEvent(exchange, id, 'bounce')
  await waits(id, 'address_needed')
  return id
}

const less = /less than we can exchange as agreed/
const other = /isn’t what was agreed/
const late = /after the price expired/
const payout = /was returned\. Please tell us where to send it instead/
const refund = /don’t know where to send it\. Please give us an address/

describe('whoever is asked for a word once the page may be closed gets one letter', () => {
  it('when less came than was agreed, and none for more that is still too little', async () => {
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { amount: '60' })
    await waits(id, 'underpaid')
    await assertAsked(id, less)
    await pay(exchange, id, { amount: '20' })
    await seen(exchange, id, 'more', ({ from_amount: amount }) => amount === '80')
    await assertAsked(id, less)
  })

  it('when something else came', async () => {
    const { id } = await readyToPay(exchange, tether)
    await pay(exchange, id, { amount: '500', currency: 'TRX' })
    await waits(id, 'wrong_asset')
    await assertAsked(id, other)
  })

  it('when the payout came back, and once more when it comes back from where the customer said then', async () => {
    const { id } = await buy(exchange)
    await assertAsked(id)
    await railEvent(exchange, id, 'bounce')
    await waits(id, 'address_needed')
    await assertAsked(id, payout)
    await checkOut(exchange, id)
    await arrive(exchange, id, 'finished')
    await assertAsked(id, payout)
    await railEvent(exchange, id, 'bounce')
    await waits(id, 'address_needed')
    await assertAsked(id, payout, payout)
  })

  it('when what was paid to an account came back', async () => {
    const { id } = await buy(exchange, sale)
    await railEvent(exchange, id, 'bounce')
    await waits(id, 'address_needed')
    await assertAsked(id, payout)
  })

  it('when a refund came back', async () => {
    await assertAsked(await refundReturned(), less, refund)
  })

  it('when nobody knows where a refund goes', async () => {
    const { status, body } = await exchange.api<{ transaction_id: string }>(
      '/v1/sandbox/scenarios/refund-to-be-asked',
      { body: {} },
    )
    assert.equal(status, 201)
    await assertAsked(body.transaction_id, less, refund)
  })

  it('when the price has moved, and has to be accepted', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT16M')
    market.setPrice('BTC', 1_500n)
    await pay(exchange, id)
    await waits(id, 'late')
    await assertAsked(id, late)
    market.setPrice('BTC', 1_000n)
  })
})

describe('a letter that asks', () => {
  const firsts = {
    en: /^Your order at .+ is waiting for you$/,
    de: /^Ihr Auftrag bei .+ wartet auf Sie$/,
    es: /^Su pedido en .+ le espera$/,
    fr: /^Votre commande chez .+ vous attend$/,
    ar: /^طلبك لدى .+ بانتظارك$/,
  }
  for (const [locale, subject] of Object.entries(firsts)) {
    it(`is in the language that the order was read in, and leads to its page in it: ${locale}`, async () => {
      const visit = await visitor(exchange, newEmail(), { amount: 250, locale })
      await pay(exchange, visit.id, { amount: '60' })
      await waits(visit.id, 'underpaid')
      const [letter, ...more] = await lettersAbout(visit.id)
      assert.ok(letter)
      assert.deepEqual(more, [])
      assert.match(letter.subject, subject)
      assert.match(letter.html, new RegExp(`<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}"`))
      const [url = ''] = /http\S+/.exec(letter.text) ?? []
      assert.equal(url, `${exchange.url}/${locale}/checkout?tid=${await tidOf(exchange, visit.id)}`)
      const page = await visit.page()
      assert.equal((await fetch(url)).status, 200)
      assert.notEqual(titleOf(page), '')
    })
  }

  it('names the order, and nothing of amounts, addresses and persons', async () => {
    const { id, email, payout: to } = await buy(exchange)
    await railEvent(exchange, id, 'bounce')
    await waits(id, 'address_needed')
    const [{ subject, text, html } = assert.fail('no letter')] = await lettersAbout(id)
    const all = `${subject} ${text} ${html}`
    for (const personal of [email, to?.address, '100', 'BTC', 'EUR']) {
      assert.ok(personal)
      assert.ok(!all.replaceAll(id, '').includes(personal), personal)
    }
  })
})

describe('nobody is written to', () => {
  it('while only operators can go on, until an order that they let go waits for its customer anew', async () => {
    const { id } = await readyToPay(exchange, transfer)
    await holdTransaction(ctxOf(), BigInt(id), order)
    await pay(exchange, id, { amount: '60' })
    await seen(exchange, id, 'the money', ({ from_amount: amount }) => amount === '60')
    await assertAsked(id)

    const stopped = await refundReturned()
    await holdTransaction(ctxOf(), BigInt(stopped), order)
    await assertAsked(stopped, less, refund)
    await releaseTransaction(ctxOf(), BigInt(stopped), order)
    await waits(stopped, 'address_needed')
    await assertAsked(stopped, less, refund, refund)
  })

  it('whose payment was taken back, or who is blocked, and never why', async () => {
    const { id } = await buy(exchange)
    await railEvent(exchange, id, 'chargeback')
    await seen(exchange, id, 'the chargeback', ({ errors }) => errors.length > 0)
    await railEvent(exchange, id, 'bounce')
    await waits(id, 'review')
    await assertAsked(id)

    const blocked = await buy(exchange)
    await decideBlock(ctxOf(), { id: BigInt(blocked.customer_id ?? 0), isBlocked: true, ...order })
    await railEvent(exchange, blocked.id, 'bounce')
    await waits(blocked.id, 'address_needed')
    await assertAsked(blocked.id)

    const suspect = await readyToPay(exchange, transfer)
    await decideBlock(ctxOf(), { id: BigInt(suspect.customer_id ?? 0), isBlocked: true, ...order })
    await pay(exchange, suspect.id, { amount: '60' })
    await waits(suspect.id, 'review')
    await assertAsked(suspect.id)
  })

  it('about what is too little to be sent back', async () => {
    const { id } = await readyToPay(exchange, tether)
    await pay(exchange, id, { amount: '0.01', currency: 'TRX' })
    await waits(id, 'wrong_asset')
    assert.deepEqual(await customerChoices(ctxOf(), BigInt(id)), {})
    await assertAsked(id)
    await pay(exchange, id, { amount: '500', currency: 'TRX' })
    await until(async () => 'refund' in (await customerChoices(ctxOf(), BigInt(id))), 'the choice')
    await assertAsked(id, other)
  })

  it('who was erased', async () => {
    const { id } = await readyToPay(exchange)
    const reference = await referenceOf(exchange, id)
    const erase = `update data_keys set wrapped = null, erased_at = now()
      where id = (select data_key_id from transactions where public_id = $1)`
    await lookup(exchange, erase, [id])
    const mails = () => lookup(exchange, 'select id from mails order by id')
    const before = await mails()
    await callBack(exchange, captured(reference, { event: `little_${id}`, amount: '6000' }))
    await settled(exchange)
    assert.deepEqual(await mails(), before)
  })

  it('whose order goes its way, by whatever road', async () => {
    for (const id of [(await buy(exchange)).id, (await buy(exchange, transfer)).id, (await buy(exchange, sale)).id])
      await assertAsked(id)
  })
})
