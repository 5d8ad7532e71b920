import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { anyCodePoint } from '../support/any-code-point.ts'
import { refusals, type RefusalCode } from '../../src/platform/lib/refusal.ts'
import { type Answer, type Asking, type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, type Refused } from '../support/journey.ts'

let exchange: Exchange
const keys = { mainSecret: '', second: '' }
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
  const { secret_key, second_partner } = exchange.sandbox
  Object.assign(keys, { mainSecret: secret_key, second: second_partner.secret_key })
})
after(() => exchange.stop())

const ask = (path: string, asking: Asking) => exchange.api<Refused>(path, asking)

/** Either it was done, or it was refused in the one shape, with a code that has this status; never a fault. */
function assertAnswered({ status, body, headers }: Answer<Refused>, good: number, what: string): void {
  assert.ok(status < 500, `${status} to ${what}`)
  assert.ok(headers.get('x-request-id'))
  if (status === good) return
  assert.equal(refusals[body.code as RefusalCode], status, what)
  assert.equal(body.statusCode, status)
  assert.ok(body.message.length > 0 && Array.isArray(body.errors))
}

const odd = fc.oneof(
  fc.jsonValue({ maxDepth: 2 }),
  fc.string({ unit: anyCodePoint, maxLength: 300 }),
  fc.constantFrom(
    ...Array<string>(8).fill('a\u0000b'),
    '',
    'null',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
    'Zoë \u{1f600}',
    '1e309',
    '-0',
    '٣',
    '$$',
    "'; drop table x",
    '%00',
    '../..',
  ),
  fc.double().map(String),
  fc.bigInt().map(String),
)
/** A create that has everything; its odd neighbors differ in a field or two. */
const good = {
  from_amount: 100,
  from_currency: 'EUR',
  from_network: 'EUR',
  to_currency: 'USDT',
  to_network: 'TRX',
  customer: {
    ip: '203.0.113.9',
    contact_info: { email: 'any@example.com', phone_number: '+31 20 1234567' },
    billing_info: {
      country_alpha_2: 'US',
      us_region_alpha_2: 'CA',
      post_index: '12345',
      first_name: 'Ann',
      gender: 'F',
    },
  },
  payout_info: {
    payout_address: 'TLLM21wteSPs4hKjbxgmH1L6poyMjeTbHm',
    extra_id: '7',
    skip_choose_payout_address: true,
  },
  deposit: { payment_category: 'VISA_MC', skip_choose_payment_category: false },
  redirects: { successful: 'https://shop.example/$$' },
  external_partner_link_id: 'order 1',
  locale: 'pt-BR',
}
const paths = [
  ...Object.keys(good),
  ...['ip', 'ipV4', 'ipV6', 'contact_info', 'billing_info'].map((name) => `customer.${name}`),
  ...['email', 'phone_number'].map((name) => `customer.contact_info.${name}`),
  ...['country_alpha_2', 'us_region_alpha_2', 'region', 'city', 'street_address', 'apt_number', 'post_index'].map(
    (name) => `customer.billing_info.${name}`,
  ),
  ...['first_name', 'last_name', 'date_of_birthday', 'gender'].map((name) => `customer.billing_info.${name}`),
  ...['payout_address', 'extra_id', 'skip_choose_payout_address'].map((name) => `payout_info.${name}`),
  ...['payment_category', 'skip_choose_payment_category'].map((name) => `deposit.${name}`),
  ...['successful', 'cancelled', 'failed'].map((name) => `redirects.${name}`),
  'payout_address',
  'payout_extra_id',
  'kyc_shared_token',
  'note',
]
const changes = fc.array(fc.tuple(fc.constantFrom(...paths), odd), { minLength: 1, maxLength: 2 })
const body = changes.map((all) =>
  all.reduce((whole, [path, value]) => changed(whole, path.split('.'), value), good as object),
)

function changed(whole: object, [name = '', ...rest]: string[], value: unknown): object {
  const inside: unknown = Object.entries(whole).find(([key]) => key === name)?.[1]
  const isDeeper = rest.length > 0 && typeof inside === 'object' && inside !== null
  return { ...whole, [name]: isDeeper ? changed(inside, rest, value) : value }
}

const queryNames = [
  'from_amount',
  'to_amount',
  'from_currency',
  'to_currency',
  'from_network',
  'to_network',
  'type',
  'fees_included',
  'deposit_type',
  'payout_type',
  'deposit_category',
  'customer_country',
  'ip',
  'x',
]
const query = fc.array(fc.tuple(fc.constantFrom(...queryNames), odd.map(textOf)), { maxLength: 5 })

/** One time in three; else there is none of it. */
const rarely = <T>(some: fc.Arbitrary<T[]>) =>
  fc.oneof({ weight: 2, arbitrary: fc.constant<T[]>([]) }, { weight: 1, arbitrary: some })

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return Buffer.from(text).toString()
}

/** Asks several at once: what one leaves behind must not hurt another. */
const several = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: 4, maxLength: 8 })
const check = <T>(one: fc.Arbitrary<T>, ask: (value: T) => Promise<void>, runs = 40) =>
  fc.assert(
    fc.asyncProperty(several(one), async (values) => {
      await Promise.all(values.map(ask))
    }),
    { numRuns: runs },
  )

describe('whatever is sent', () => {
  it('an estimate is given or refused', () =>
    check(query, async (pairs) => {
      const asked = new URLSearchParams([['from_currency', 'EUR'], ['to_currency', 'BTC'], ...pairs]).toString()
      assertAnswered(await ask(`/v1/estimate?${asked}`, { key: keys.mainSecret }), 200, asked)
    }))

  it('a create is done or refused', () =>
    check(
      fc.tuple(body, rarely(query), fc.constantFrom('mainSecret', 'second')),
      async ([sent, pairs, key]) => {
        const asked = new URLSearchParams(pairs).toString()
        const text = JSON.stringify(sent)
        assertAnswered(
          await ask(`/v1/transaction?${asked}`, { body: text, key: keys[key as 'second'] }),
          201,
          `${asked} ${text}`,
        )
      },
      200,
    ))

  it('a body that is any text, and a number in any spelling', async () => {
    const number = fc.tuple(
      fc.constantFrom('', '-', '+'),
      fc.double({ noNaN: true }),
      fc.constantFrom('', 'e0', 'E+2', 'e-31', 'e999', '.0', '0'),
    )
    const spelled = number.map(
      ([sign, value, end]) =>
        `{"from_amount": ${sign}${Math.abs(value)}${end}, "from_currency": "EUR", "to_currency": "BTC"}`,
    )
    await check(fc.oneof(fc.string({ unit: anyCodePoint }).map(textOf), spelled), async (text) => {
      assertAnswered(await ask('/v1/transaction', { method: 'POST', body: text }), 201, text)
    })
  })

  it('an address of any kind', () =>
    check(
      fc.tuple(
        fc.constantFrom(
          '/v1/transaction/',
          '/v1/currencies/',
          '/v1/market-info/min-max-range/',
          '/v1/sandbox/mail?to=',
          '/',
        ),
        odd.map(textOf),
      ),
      async ([path, rest]) => {
        const answer = await fetch(exchange.url + path + encodeURIComponent(rest), {
          headers: { 'x-api-key': keys.mainSecret },
        })
        await answer.arrayBuffer()
        assert.ok(answer.status < 500, `${answer.status} to ${path}${rest}`)
      },
    ))

  it('leaves books that hold', () => assertBooksHold(exchange))
})
