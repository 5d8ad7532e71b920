import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import type { TransactionRecord } from '../../src/exchange/transactions/record.ts'
import { shownTerms } from '../support/checkout-forms.ts'
import { runCommand } from '../support/command.ts'
import type { Asking } from '../support/exchange.ts'
import type { Body, Refused } from '../support/journey.ts'
import { type ServedExchange, serveExchange } from '../support/process.ts'
import { startReceiver, until } from '../support/telling.ts'
import { everyTable, filesWith, isIn } from '../support/traces.ts'

/** Card numbers as people and forms write them. */
const cards = [
  '4242424242424242',
  '4242 4242 4242 4242',
  '4242-4242-4242-4242',
  '4242\u00a04242\u00a04242\u00a04242',
  '4242\u20134242\u20134242\u20134242',
  '5555555555554444',
  '378282246310005',
  '4222222222222',
  '2223003122003222',
  'Ann Smith 4242 4242 4242 4242 12/39',
]
const plainCard = '4242424242424242'

const street = 'Zebulonstreet 77b'
const person = {
  email: 'quintessa.marker@privacy.example',
  phone_number: '+49 1520 7777301',
  ip: '203.0.113.177',
  address: '0x4838B106FCe9647Bdf1E7877BF73cE8B0BAD5f97',
  extra_id: 'memo-of-quintessa-8812',
  first_name: 'Quintessa',
  last_name: 'Markerwright',
}

let exchange: ServedExchange
before(async () => {
  exchange = await serveExchange({ LOG_LEVEL: 'trace' })
})
after(() => exchange.remove())

const api = <Answered = Refused>(path: string, asking: Asking = {}) => exchange.api<Answered>(path, asking)
const good: Body = { from_amount: 100, from_currency: 'EUR', to_currency: 'ETH' }

/** Posts a form as a browser does, and gives the status and what the next request needs. */
async function post(
  url: string,
  form: Record<string, string>,
  cookie = '',
): Promise<{ status: number; cookie: string; leadsTo: string }> {
  const headers = { origin: new URL(url).origin, cookie }
  const answer = await fetch(url, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) })
  await answer.text()
  const { headers: told, status } = answer
  return { status, cookie: told.get('set-cookie')?.split(';')[0] ?? cookie, leadsTo: told.get('location') ?? '' }
}

async function created(body: Body = {}): Promise<TransactionRecord> {
  const answer = await api<TransactionRecord>('/v1/transaction', { body: { ...good, ...body } })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
  return answer.body
}

/** Every text field of a create that we read, by its path. */
const createFields: Record<string, (text: string) => Body> = {
  from_currency: (text) => ({ from_currency: text }),
  from_network: (text) => ({ from_network: text }),
  to_currency: (text) => ({ to_currency: text }),
  to_network: (text) => ({ to_network: text }),
  external_partner_link_id: (text) => ({ external_partner_link_id: text }),
  locale: (text) => ({ locale: text }),
  kyc_shared_token: (text) => ({ kyc_shared_token: text }),
  kyc_shared_token_provider: (text) => ({ kyc_shared_token: 'token', kyc_shared_token_provider: text }),
  payout_address: (text) => ({ payout_address: text }),
  'payout_info.payout_address': (text) => ({ payout_info: { payout_address: text } }),
  'deposit.payment_category': (text) => ({ deposit: { payment_category: text } }),
  'customer.ip': (text) => ({ customer: { ip: text } }),
  'customer.ipV4': (text) => ({ customer: { ipV4: text } }),
  'customer.contact_info.email': (text) => ({ customer: { contact_info: { email: text } } }),
  'customer.contact_info.phone_number': (text) => ({ customer: { contact_info: { phone_number: text } } }),
  'redirects.successful': (text) => ({ redirects: { successful: `https://shop.example/?n=${text}` } }),
  ...Object.fromEntries(
    [
      'country_alpha_2',
      'us_region_alpha_2',
      'region',
      'city',
      'street_address',
      'apt_number',
      'post_index',
      'first_name',
      'last_name',
      'date_of_birthday',
      'gender',
    ].map((name) => [
      `customer.billing_info.${name}`,
      (text: string) => ({ customer: { billing_info: { [name]: text } } }),
    ]),
  ),
}

describe('a card number', () => {
  it('is refused in every text field of a create, whatever its spelling, and never repeated', async () => {
    for (const [path, put] of Object.entries(createFields)) {
      for (const card of cards) {
        const { status, body } = await api('/v1/transaction', { body: { ...good, ...put(card) } })
        assert.deepEqual([status, body.code], [400, 'BAD_REQUEST'], `${path}: ${card}`)
        assert.ok(body.errors[0]?.path.endsWith(path), `${path}: ${card} is blamed on ${body.errors[0]?.path}`)
        assert.ok(!JSON.stringify(body).includes(card.slice(-4)), `${path} repeats it`)
      }
    }
  })

  it('vanishes from what we ignore, and is kept from no header, query or address', async () => {
    const ignored = {
      note: plainCard,
      customer: { card: { number: plainCard } },
      card_number: plainCard,
      [plainCard]: 1,
    }
    const { id } = await created({ ...ignored, payout_info: { extra_id: plainCard } })
    const headers = {
      'idempotency-key': plainCard,
      'x-request-id': plainCard,
      'user-agent': plainCard,
      cookie: `card=${plainCard}`,
      referer: `https://a.example/${plainCard}`,
      'x-forwarded-for': plainCard,
    }
    assert.equal((await api('/v1/transaction', { body: good, headers })).status, 201)
    assert.equal((await api(`/v1/transaction?ip=${plainCard}&note=${plainCard}`, { body: good })).status, 201)
    for (const path of [
      `/v1/transaction/${plainCard}`,
      `/v1/currencies/${plainCard}`,
      `/v1/market-info/min-max-range/${plainCard}_btc`,
      `/v1/estimate?from_amount=${plainCard}&from_currency=EUR&to_currency=BTC`,
      `/v1/estimate?from_amount=100&from_currency=${plainCard}&to_currency=BTC`,
      `/v1/${plainCard}`,
      `/v1/sandbox/mail?to=${plainCard}`,
    ]) {
      const { status } = await api(path)
      assert.ok(status < 500, `${path}: ${status}`)
    }
    assert.equal((await api('/v1/status', { key: plainCard })).status, 401)
    const base = `/v1/sandbox/transaction/${id}`
    await api(`${base}/checkout`, { body: {} })
    await api(`${base}/deposit`, { body: {} })
    await until(
      async () => (await api<TransactionRecord>(`/v1/transaction/${id}`)).body.status === 'finished',
      'the end',
    )
  })

  it('is refused by the controls of the sandbox', async () => {
    const { id } = await created()
    const base = `/v1/sandbox/transaction/${id}`
    for (const name of ['email', 'country', 'payout_address']) {
      assert.equal((await api(`${base}/checkout`, { body: { [name]: plainCard } })).status, 400, name)
    }
    await api(`${base}/checkout`, { body: {} })
    for (const name of ['reference', 'currency', 'network', 'amount']) {
      assert.equal((await api(`${base}/deposit`, { body: { [name]: plainCard } })).status, 400, name)
    }
    assert.equal((await api(`${base}/rail-event`, { body: { type: plainCard } })).status, 400)
    assert.equal((await api('/v1/sandbox/clock', { body: { advance: plainCard } })).status, 400)
    assert.equal((await api(`/v1/sandbox/scenarios/${plainCard}`, { body: {} })).status, 404)
  })

  it('is kept by no page of the checkout', async () => {
    const { id, redirect_url: url } = await created()
    const typed = async (...forms: Record<string, string>[]) => {
      for (const form of forms) assert.ok((await post(url, form)).status < 500, JSON.stringify(form))
    }
    const email = `a${plainCard}@example.com`
    await typed({ do: 'email', email: plainCard }, { do: plainCard, note: plainCard }, { do: 'email', email })
    await api(`/v1/sandbox/transaction/${id}/checkout`, { body: {} })
    const { body } = await api<TransactionRecord>(`/v1/transaction/${id}`)
    assert.equal(body.status, 'waiting_for_deposit')
    await typed({ do: 'code', code: plainCard, accepts: plainCard }, { do: 'country', country: plainCard })
    await typed({ do: 'payout_address', payout_address: plainCard, extra_id: plainCard })
    assert.ok((await post(`${url}&${plainCard}=${plainCard}`, { do: 'pay' })).status < 500)
    assert.ok((await fetch(`${new URL(url).origin}/checkout?tid=${plainCard}`)).status < 500)
  })
})

describe('a person', () => {
  it('gives everything, pays by card at the processor, and is told of to the partner', async (t) => {
    const receiver = await startReceiver(t)
    receiver.answer = (_request, response, { body }) =>
      response.writeHead(receiver.all.length % 2 ? 200 : 500).end(body)
    const added = await runCommand(
      ['webhook', 'add', receiver.url, '--partner', exchange.sandbox.partner_id],
      exchange.env,
    )
    assert.equal(added.exitCode, 0, added.err)

    const { email, phone_number, ip, first_name, last_name } = person
    const billing_info = {
      country_alpha_2: 'DE',
      street_address: street,
      first_name,
      last_name,
      date_of_birthday: '23.04.1987',
    }
    const body = {
      ...good,
      customer: { ip, contact_info: { email, phone_number }, billing_info },
      payout_info: { payout_address: person.address, extra_id: person.extra_id },
      redirects: { successful: `https://shop.example/thanks?mail=${email}` },
    }
    const headers = { 'idempotency-key': `order of ${email}`, 'x-forwarded-for': ip }
    const answer = await api<TransactionRecord>(`/v1/transaction?ip=${ip}&email=${email}`, { body, headers })
    const { id, redirect_url: url } = answer.body
    assert.equal((await post(url, { do: 'send' })).status, 303)
    const [mail] = (await api<{ text: string }[]>(`/v1/sandbox/mail?to=${email}`)).body
    const { status, cookie } = await post(url, {
      do: 'code',
      code: /^ *(\d{6})$/m.exec(mail?.text ?? '')?.[1] ?? '',
      accepts: shownTerms,
    })
    assert.equal(status, 303)
    assert.equal((await post(url, { do: 'country', country: 'DE' }, cookie)).status, 303)
    const rest = { region: 'Berlin', city: 'Berlin', post_index: '10115', no_apartment: 'yes' }
    assert.equal((await post(url, { do: 'billing', ...billing_info, ...rest }, cookie)).status, 303)
    const { leadsTo: processor } = await post(url, { do: 'pay' }, cookie)
    assert.notEqual(new URL(processor).origin, new URL(url).origin, 'the card is typed in at another origin')
    const cardForm = { number: '4242 4242 4242 4242', expiry: '12/39', cvc: '123' }
    assert.equal((await post(processor, { ...cardForm, number: '5555 5555 5555 4444' })).status, 422)
    assert.equal((await post(processor, { ...cardForm, expiry: plainCard, cvc: plainCard })).status, 422)
    assert.equal((await post(processor, { ...cardForm, name: plainCard })).status, 303)
    await until(
      async () => (await api<TransactionRecord>(`/v1/transaction/${id}`)).body.status === 'finished',
      'the end',
    )
    const { body: record } = await api<TransactionRecord>(`/v1/transaction/${id}`)
    assert.deepEqual([record.email, record.payout?.address], [email, person.address])
    assert.equal(
      (await api(`/v1/sandbox/transaction/${id}/rail-event`, { body: { type: 'unknown_word' } })).status,
      201,
    )
    await until(() => exchange.output().includes('"level":'), 'the unknown word to be logged')
    await receiver.got(2)
  })
})

describe('afterwards', () => {
  it('no table has a card number or a person in plain text; the chain alone knows the address', async () => {
    const { out } = await runCommand(['db', 'url'], exchange.env)
    const tables = await everyTable(out.trim())
    assert.ok(tables.size > 25 && isIn(tables.get('public.partners') ?? '', 'Demo Wallet'), 'everything was read')
    for (const [name, dump] of tables) {
      for (const text of [...cards, ...Object.values(person), street, '23.04.1987']) {
        if (text === person.address && name.startsWith('sandbox.')) continue
        assert.ok(!isIn(dump, text), `${name} holds ${text}`)
      }
    }
    assert.ok(isIn(tables.get('sandbox.transfers') ?? '', person.address))
  })

  it('no log has them, and no file of the database, when it has been written down', async () => {
    await exchange.kill('SIGTERM')
    assert.match(exchange.output(), /"level":/, 'something was logged')
    const { address, ...hidden } = person
    for (const text of [...cards, ...Object.values(hidden), street]) {
      assert.ok(!exchange.output().includes(text), `the log holds ${text}`)
      assert.deepEqual(filesWith(exchange.env.DATA_DIR ?? '', text), [])
    }
    assert.ok(!exchange.output().includes(address))
    assert.notDeepEqual(filesWith(exchange.env.DATA_DIR ?? '', address), [], 'the files were read')
  })
})
