import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, it } from 'node:test'

import { askForRefund, giveRefundAddress } from '../../src/exchange/orders/choose.ts'
import { receiptUrl } from '../../src/exchange/transactions/receipt-link.ts'
import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { whole } from '../support/billing.ts'
import { formsOn } from '../support/checkout-forms.ts'
import { someAddress } from '../support/customer.ts'
import { type Exchange, startExchange } from '../support/exchange.ts'
import { arrive, buy, create, lookup, pay, railEvent, read, readyToPay, seen } from '../support/journey.ts'

const folder = mkdtempSync(join(tmpdir(), 'receipts-'))
const config = join(folder, 'config.yaml')
let exchange: Exchange
before(async () => {
  writeFileSync(
    config,
    'company: { name: Example Exchange B.V., address: "Herengracht 1, Amsterdam", support: help@example.com }\n',
  )
  exchange = await startExchange({ CONFIG_FILE: config })
})
after(async () => {
  await exchange.stop()
  rmSync(folder, { recursive: true })
})

type Receipt = Record<string, unknown> & {
  paid: Money
  received: Money
  fees: (Money & { name: string })[]
  total_cost: Money
  address: string | null
  hash: string | null
}
type Money = { amount: string; currency: string }

const linkOf = ({ receipt_url: url }: TransactionRecord): string => {
  assert.ok(url)
  return url
}
const dataOf = async (url: string): Promise<Receipt> => (await (await fetch(`${url}?format=json`)).json()) as Receipt
const cents = ({ amount }: Money): number => Math.round(Number(amount) * 100)

const fields =
  'number transaction_id issued_at company paid received fees total_cost rate market_price address hash'.split(' ')

it('a finished buy has a receipt with the figures of its record, as a page and as data', async () => {
  const record = await buy(exchange)
  const url = linkOf(record)
  const receipt = await dataOf(url)
  assert.deepEqual(Object.keys(receipt), fields)
  assert.deepEqual(
    [receipt.transaction_id, receipt.total_cost, receipt.market_price, receipt.hash, receipt.address],
    [record.id, record.total_cost, record.market_price, record.output_hash, record.payout?.address],
  )
  assert.deepEqual(receipt.company, {
    name: 'Example Exchange B.V.',
    address: 'Herengracht 1, Amsterdam',
    support: 'help@example.com',
  })
  assert.deepEqual(receipt.paid, { amount: '100', currency: 'EUR' })
  assert.deepEqual(receipt.received, { amount: record.to_amount, currency: 'BTC' })
  assert.equal(
    receipt.fees.reduce((sum, fee) => sum + cents(fee), 0),
    cents(receipt.total_cost),
  )
  assert.deepEqual(
    receipt.fees.map(({ name }) => name),
    ['Service fee', 'Payment method fee', 'Network fee', 'Spread'],
  )

  const page = await fetch(url, { headers: { 'accept-language': 'en', cookie: 'zone=America%2FNew_York' } })
  assert.deepEqual(
    ['cache-control', 'x-robots-tag', 'referrer-policy'].map((name) => page.headers.get(name)),
    ['no-store', 'noindex, nofollow', 'no-referrer'],
  )
  const html = await page.text()
  const text = html.replaceAll(/<[^>]+>/g, '').replaceAll('\u00A0', ' ')
  for (const part of [String(receipt.number), String(record.output_hash), record.payout?.address ?? '', record.id]) {
    assert.ok(text.includes(part), part)
  }
  assert.match(text, new RegExp(`Total cost ${receipt.total_cost.amount}0? EUR`))
  assert.match(text, /Date [A-Z][a-z]+ \d+, 20\d\d at \d\d:\d\d\s[AP]M E[DS]T/)
})

it('a receipt has no link before the end, none for public keys, and none that can be guessed', async () => {
  const open = await readyToPay(exchange)
  assert.equal(open.receipt_url, null)
  const { ctx } = exchange.service.composition
  const early = receiptUrl(ctx, { publicId: BigInt(open.id) })
  assert.equal((await fetch(early)).status, 404)

  const record = await buy(exchange)
  const asked = { key: exchange.sandbox.public_key }
  const { body } = await exchange.api<TransactionRecord>(`/v1/transaction/${record.id}`, asked)
  assert.equal(body.receipt_url, null)
  const url = linkOf(record)
  for (const other of [
    url.replace(/.(.)$/, (_, last: string) => `${url.at(-2) === 'A' ? 'B' : 'A'}${last}`),
    `${exchange.url}/receipt/${record.id}`,
  ]) {
    const answer = await fetch(`${other}?format=json`)
    assert.equal(answer.status, 404, other)
    assert.equal(((await answer.json()) as { code: string }).code, 'NOT_FOUND')
  }
})

it('the receipt of a refund says what came back and what sending it cost', async () => {
  const { status, body } = await exchange.api<{ transaction_id: string }>('/v1/sandbox/scenarios/held-refunded', {
    body: {},
  })
  assert.equal(status, 201, JSON.stringify(body))
  const record = await read(exchange, body.transaction_id)
  assert.equal(record.status, 'refunded')
  const receipt = await dataOf(linkOf(record))
  const [refund] = record.refunds
  assert.deepEqual(receipt.received, { amount: refund?.amount, currency: refund?.currency })
  assert.equal(cents(receipt.paid) - cents(receipt.received), cents(receipt.total_cost))
  assert.deepEqual(receipt.total_cost, record.total_cost)
  assert.deepEqual([receipt.rate, receipt.market_price, receipt.hash], [null, null, refund?.output_hash])
})

it('the receipt and the email of a refund say where it went: to the account it came from, or back to the card', async () => {
  const { ctx } = exchange.service.composition
  const roads = [
    { payment_category: 'SEPA', isAccount: true },
    { payment_category: 'VISA_MC', isAccount: false },
  ]
  for (const { payment_category, isAccount } of roads) {
    const { id } = await readyToPay(exchange, { deposit: { payment_category } })
    const { email } = await read(exchange, id)
    await pay(exchange, id, { amount: '60' })
    await seen(exchange, id, 'underpaid', ({ status_details }) => status_details === 'underpaid')
    await askForRefund(ctx, BigInt(id))
    const record = await arrive(exchange, id, 'refunded')
    const { address } = await dataOf(linkOf(record))
    assert.equal(address !== null, isAccount, payment_category)
    const html = (await (await fetch(linkOf(record))).text()).replace(/<[^>]*>|[\u200b\s]/g, '')
    const { body } = await exchange.api<{ kind: string; text: string }[]>(
      `/v1/sandbox/mail?to=${encodeURIComponent(email ?? '')}`,
    )
    const { text } = body.find(({ kind }) => kind === 'refunded') ?? assert.fail('no email')
    const said = isAccount ? String(address).replaceAll(' ', '') : 'Thecardoraccountyoupaidwith'
    for (const written of [html, text.replace(/\s/g, '')])
      assert.ok(written.includes(said), `${said} in ${written.slice(0, 2_000)}`)
  }
})

it('the receipt and the email of a refund show an address and its tag masked where the partner passed no email address', async () => {
  const { ctx } = exchange.service.composition
  const to = { address: 'rPEPPER7kfTD9w2To4CQk6UCfuHM9c6GDY', extraId: '1840512367' }
  const email = 'swapper@bare.example'
  const { id, redirect_url: url } = await create(exchange, {
    from_amount: '500',
    from_currency: 'XRP',
    to_currency: 'BTC',
    customer: { ip: '46.4.0.1', billing_info: whole },
    payout_info: { payout_address: someAddress, skip_choose_payout_address: false },
  })
  await formsOn(exchange).prove(url, email)
  await pay(exchange, id, { amount: '300' })
  await seen(exchange, id, 'underpaid', ({ status_details }) => status_details === 'underpaid')
  await askForRefund(ctx, BigInt(id))
  await arrive(exchange, id, 'refunded')
  await railEvent(exchange, id, 'bounce')
  await seen(exchange, id, 'the question', ({ status_details }) => status_details === 'address_needed')
  await giveRefundAddress(ctx, BigInt(id), to)
  const html = await (await fetch(linkOf(await arrive(exchange, id, 'refunded')))).text()
  const { body } = await exchange.api<{ kind: string; text: string }[]>(
    `/v1/sandbox/mail?to=${encodeURIComponent(email)}`,
  )
  const mails = body.filter(({ kind }) => kind === 'refunded').map(({ text }) => text)
  assert.notEqual(mails.length, 0)
  assert.match(html, /rPEP/)
  for (const written of [html, ...mails]) {
    const plain = written.replace(/<[^>]*>|[\u200b\s]/g, '')
    for (const secret of Object.values(to)) assert.ok(!plain.includes(secret), `${secret} in ${plain}`)
  }
})

it('after the customer was erased, the receipt keeps the amounts and says nothing of where the money went', async () => {
  const record = await buy(exchange)
  const url = linkOf(record)
  const before = await dataOf(url)
  const erasing =
    'update data_keys set wrapped = null, erased_at = now() where id = (select data_key_id from transactions where public_id = $1)'
  await lookup(exchange, erasing, [record.id])
  const after = await dataOf(url)
  assert.deepEqual(after, { ...before, address: null, hash: null })
  const html = await (await fetch(url)).text()
  for (const gone of [before.address, before.hash]) assert.ok(gone && !html.includes(gone))
})

it('an order that was only created has no receipt', async () => {
  assert.equal((await create(exchange)).receipt_url, null)
})
