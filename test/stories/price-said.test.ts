import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { languageOf } from '../../src/platform/language/language.ts'
import { formsOn } from '../support/checkout-forms.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, type Body, checkOut, create, pay, read, seen } from '../support/journey.ts'

const languages = ['en', 'de', 'fr', 'es', 'ar']

/** Each side, and whether its price is held before money arrives. */
const roads: Record<string, { body: Body; held: boolean }> = {
  'buy by card': { body: { deposit: { payment_category: 'VISA_MC' } }, held: true },
  'buy by transfer': { body: { deposit: { payment_category: 'SEPA' } }, held: false },
  sell: { body: { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }, held: true },
  swap: { body: { from_amount: '0.01', from_currency: 'BTC', to_currency: 'LTC' }, held: true },
}

type Mail = { kind: string; price: 'fixed' | 'provisional' | null; text: string; html: string }
type Order = { id: string; url: string; cookie: string; email: string; tag: string; road: string; read: number }

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

const now = async () => Date.parse((await exchange.api<{ now: string }>('/v1/sandbox/clock')).body.now)

/** What the API says of the price: it is held until then, or was what money was exchanged at. */
const promised = (record: TransactionRecord, at: number): string =>
  Date.parse(record.quote_expires_at) > at || ['exchanging', 'sending', 'finished'].includes(record.status)
    ? 'fixed'
    : 'provisional'

async function order(tag: string, road: string): Promise<Order> {
  const email = `${road.replaceAll(' ', '')}-${tag}@example.com`
  const { id, redirect_url: url } = await create(exchange, { locale: tag, ...roads[road]?.body })
  const { cookie } = await formsOn(exchange).prove(url, email)
  await checkOut(exchange, id, { email })
  return { id, url, cookie, email, tag, road, read: 0 }
}

/** Holds the page and the emails that are new against the API; gives the kinds of these. */
async function compare(one: Order): Promise<string[]> {
  const record = await read(exchange, one.id)
  const promise = promised(record, await now())
  const { text } = await formsOn(exchange).get(one.url, { cookie: one.cookie })
  const language = languageOf(one.tag)
  const about = language.say('deadline.about', { amount: '' }).trim()
  const where = `${one.road} in ${one.tag}: ${promise}`
  const shown = [...text.matchAll(/data-price="(\w+)"[^>]*>(.*?)<\/span>/g)]
  assert.ok(shown.length > 0, `${where}: no price`)
  for (const [, price, amount = ''] of shown) {
    assert.equal(price, promise, where)
    assert.equal(amount.includes(about), promise === 'provisional', `${where}: ${amount}`)
  }
  const { body } = await exchange.api<Mail[]>(`/v1/sandbox/mail?to=${encodeURIComponent(one.email)}`)
  const fresh = body.slice(0, body.length - one.read)
  one.read = body.length
  const atArrival = language.say('deadline.atArrival', { share: '#' }).split('#')[0] ?? ''
  const until = language.say('deadline.fixedUntil', { moment: '#' }).split('#')[0] ?? ''
  for (const { kind, price, text: mail, html } of fresh.filter(({ kind }) => kind !== 'code')) {
    // An email about codes says nothing of a price.
    assert.equal(price, kind === 'wrong_codes' ? null : promise, `${where}: ${kind}`)
    const states = ['order_received', 'money_received'].includes(kind)
    for (const written of [mail, html]) {
      assert.equal(written.includes(atArrival), states && price === 'provisional', `${where}: ${kind}\n${written}`)
      assert.equal(
        written.includes(until),
        kind === 'order_received' && price === 'fixed',
        `${where}: ${kind}\n${written}`,
      )
    }
  }
  return fresh.map(({ kind }) => kind).filter((kind) => kind !== 'code')
}

/** Somebody else guesses at the order's code, of which its owner is emailed. */
async function guess({ url, email }: Order): Promise<void> {
  const forms = formsOn(exchange)
  await forms.ask(url, email)
  for (let tried = 0; tried < 5; tried += 1) await forms.post(url, { do: 'code', code: '000000' })
}

it('page, emails and API promise the same of a price, on each road, in each language, before and after it ends', async () => {
  const orders: Order[] = []
  for (const tag of languages) for (const road of Object.keys(roads)) orders.push(await order(tag, road))
  for (const one of orders) {
    assert.equal(promised(await read(exchange, one.id), await now()) === 'fixed', roads[one.road]?.held, one.road)
    assert.deepEqual(await compare(one), ['order_received'], one.email)
  }
  await advance(exchange, 'PT22M')
  for (const one of orders) {
    assert.equal(promised(await read(exchange, one.id), await now()), 'provisional')
    await guess(one)
    assert.deepEqual(await compare(one), ['wrong_codes'], one.email)
  }
  await Promise.all(orders.map(({ id }) => pay(exchange, id)))
  const ended = []
  for (const one of orders) {
    const { status } = await seen(exchange, one.id, 'the end', (record) =>
      ['finished', 'on_hold'].includes(record.status),
    )
    const kinds = status === 'finished' ? ['money_received', 'sent'] : ['action_needed']
    assert.deepEqual((await compare(one)).toSorted(), kinds, one.email)
    if (status === 'finished') ended.push(one)
  }
  assert.ok(ended.length >= orders.length / 2, `${ended.length} orders have ended`)
  for (const { id } of ended) {
    const record = await read(exchange, id)
    const receipt = (await (await fetch(`${record.receipt_url}?format=json`)).json()) as {
      received: { amount: string }
    }
    assert.equal(receipt.received.amount, record.to_amount)
  }
})
