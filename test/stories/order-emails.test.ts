import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { askForRefund } from '../../src/exchange/orders/choose.ts'
import { cookieOf, formsOn, shownTerms } from '../support/checkout-forms.ts'
import { codeFor } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { advance, arrive, buy, create, lookup, pay, readyToPay, seen } from '../support/journey.ts'
import { stopMarket } from '../support/still-market.ts'
import { until } from '../support/telling.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off', CONFIRMATIONS: 'BTC=1,TRX=1' })
  stopMarket(exchange)
})
after(() => exchange.stop())

type Mail = { to: string; kind: string | null; subject: string; text: string; html: string }
const transfer = { from_amount: '250', deposit: { payment_category: 'SEPA' } }
const sale = { from_amount: '0.01', from_currency: 'BTC', to_currency: 'EUR' }

/** The e-mails about an order, the oldest first. */
async function mailsAbout(id: string): Promise<Mail[]> {
  const { body } = await exchange.api<Mail[]>('/v1/sandbox/mail')
  return body.filter(({ text }) => text.includes(id)).toReversed()
}
const kindsOf = async (id: string): Promise<(string | null)[]> => (await mailsAbout(id)).map(({ kind }) => kind)

async function mailOf(id: string, kind: string): Promise<Mail> {
  const found = (await mailsAbout(id)).filter((one) => one.kind === kind)
  const [mail] = found
  assert.ok(mail && found.length === 1, `${found.length} e-mails of kind ${kind}`)
  return mail
}

const plain = (text: string): string => text.replaceAll('\u00A0', ' ')

describe('a customer gets one e-mail at each stage of an order', () => {
  it('of a buy by card: the code, the order, the payment, and the coins with the receipt', async () => {
    const record = await buy(exchange)
    assert.deepEqual(await kindsOf(record.id), ['code', 'order_received', 'money_received', 'sent'])
    const { subject, text, html } = await mailOf(record.id, 'sent')
    assert.equal(subject, 'Your Bitcoin was sent')
    for (const part of [
      `Receipt number: R-${record.id}`,
      'You paid: 100.00 EUR',
      `You received: ${record.to_amount} BTC`,
      `Total cost: ${Number(record.total_cost.amount).toFixed(2)} EUR (${record.total_cost.percentage})`,
      `Sent to: ${record.payout?.address}`,
      `Transaction: ${record.output_hash}`,
      String(record.receipt_url),
    ]) {
      assert.ok(plain(text).includes(part), `${part}\n${text}`)
    }
    for (const part of [record.output_hash, record.receipt_url, record.payout?.address]) {
      assert.ok(part && html.includes(part))
    }
    assert.ok(!/<img|<script|<link|src=|url\(/i.test(html), 'nothing is loaded and nothing tracks')
  })

  it('of a bank transfer: where to send it, with the reference', async () => {
    const { id } = await readyToPay(exchange, transfer)
    const [row] = await lookup(
      exchange,
      'select reference, pay_to from deposit_instructions where transaction_id = (select id from transactions where public_id = $1)',
      [id],
    )
    const { reference, pay_to: payTo } = row as { reference: string; pay_to: { account: string } }
    const { text } = await mailOf(id, 'order_received')
    assert.ok(text.includes(reference))
    assert.ok(text.replaceAll(' ', '').includes(payTo.account.replaceAll(' ', '')))
    assert.match(plain(text), /Send 250\.00 EUR to the account below\. It should arrive by [A-Z]/)
  })

  it('of a sell: the address for the coins', async () => {
    const record = await readyToPay(exchange, sale)
    const { text } = await mailOf(record.id, 'order_received')
    assert.ok(record.deposit && text.includes(record.deposit.address))
  })

  it('of an order that nobody paid: that it has expired and money is safe', async () => {
    const { id } = await readyToPay(exchange)
    await advance(exchange, 'PT31M')
    await arrive(exchange, id, 'expired')
    const { subject, text } = await mailOf(id, 'expired')
    assert.match(subject, /^Your order at .+ has expired$/)
    assert.match(text, /Already paid\? Your money is safe/)
  })

  it('of an underpaid order: what to do and until when, one reminder, and the refund', async () => {
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { amount: '60' })
    await seen(exchange, id, 'underpaid', (record) => record.status_details === 'underpaid')
    assert.match((await mailOf(id, 'action_needed')).text, /Please answer by [A-Z]/)
    await advance(exchange, 'P1D')
    assert.ok(!(await kindsOf(id)).includes('reminder'))
    await advance(exchange, 'P2D')
    await until(async () => (await kindsOf(id)).includes('reminder'), 'the reminder')
    assert.match((await mailOf(id, 'reminder')).subject, /^Reminder: your order at .+ is waiting for you$/)
    await advance(exchange, 'P5D')

    await askForRefund(exchange.service.composition.ctx, BigInt(id))
    const refunded = await arrive(exchange, id, 'refunded')
    const { text } = await mailOf(id, 'refunded')
    assert.ok(text.includes(String(refunded.receipt_url)))
    assert.deepEqual(
      (await kindsOf(id)).filter((kind) => kind === 'reminder'),
      ['reminder'],
    )
  })

  it('and no reminder once it was answered', async () => {
    const { id } = await readyToPay(exchange, transfer)
    await pay(exchange, id, { amount: '60' })
    await seen(exchange, id, 'underpaid', (record) => record.status_details === 'underpaid')
    await askForRefund(exchange.service.composition.ctx, BigInt(id))
    await arrive(exchange, id, 'refunded')
    await advance(exchange, 'P3D')
    assert.ok(!(await kindsOf(id)).includes('reminder'))
  })
})

describe('the owner of an address is warned', () => {
  it('when too many wrong codes were entered, once', async () => {
    const { id, redirect_url: url } = await create(exchange)
    const email = `w${id.slice(0, 9)}@example.com`
    const forms = formsOn(exchange)
    const claim = { cookie: cookieOf(await forms.post(url, { do: 'email', email })) }
    const code = await codeFor(exchange, email)
    const wrong = code === '000000' ? '000001' : '000000'
    for (let tries = 0; tries < 6; tries += 1) await forms.post(url, { do: 'code', code: wrong }, claim)
    assert.deepEqual(await kindsOf(id), ['code', 'wrong_codes'])
  })

  it('when the order is opened in a second browser, and not for the first', async () => {
    const { id, redirect_url: url } = await create(exchange)
    const email = `d${id.slice(0, 9)}@example.com`
    const forms = formsOn(exchange)
    await forms.prove(url, email)
    assert.deepEqual(await kindsOf(id), ['code'])
    await forms.post(`${url}&ask=proof`, { do: 'send' })
    await forms.post(`${url}&ask=proof`, { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms })
    assert.deepEqual(await kindsOf(id), ['code', 'code', 'new_device'])
  })
})

it('e-mails are in the customer’s language and time zone', async () => {
  const { id, redirect_url: url } = await create(exchange, { ...transfer, locale: 'de' })
  const email = `z${id.slice(0, 9)}@example.com`
  const forms = formsOn(exchange)
  const page = url.replace('/checkout', '/de/checkout')
  const asked = await forms.post(page, { do: 'email', email })
  const zone = { cookie: `zone=Asia%2FTokyo; ${cookieOf(asked)}` }
  const answer = await forms.post(page, { do: 'code', code: await codeFor(exchange, email), accepts: shownTerms }, zone)
  const cookie = `${cookieOf(answer)}; zone=Asia%2FTokyo`
  await forms.post(page, { do: 'country', country: 'NL' }, { cookie })
  await forms.post(
    page,
    { do: 'payout_address', payout_address: 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' },
    { cookie },
  )
  const { subject, text } = await mailOf(id, 'order_received')
  assert.match(subject, /^Wir haben Ihren Auftrag bei .+ erhalten$/)
  assert.match(text, /\d\d:\d\d (GMT\+9|JST)/)
})
