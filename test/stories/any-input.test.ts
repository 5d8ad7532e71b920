import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import fc from 'fast-check'

import { refusals, type RefusalCode } from '../../src/lib/refusal.ts'
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
  fc.string({ unit: 'binary', maxLength: 300 }),
  fc.constantFrom(
    '',
    'null',
    '__proto__',
    'constructor',
    '\u0000',
    '\ud800',
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
const sensible = {
  amount: fc.oneof(fc.constantFrom(100, '100', '20', 15000, 1e-7), fc.integer({ min: 20, max: 15_000 })),
  fiat: fc.constantFrom('EUR', 'usd', 'GBP'),
  coin: fc.constantFrom('BTC', 'eth', 'USDT'),
  network: fc.constantFrom('BTC', 'ETH', 'trx', '', null),
}
/** Mostly what it should be, now and then anything. */
const mostly = <T>(usual: fc.Arbitrary<T>) => fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: odd })

const billing = [
  'country_alpha_2',
  'us_region_alpha_2',
  'region',
  'city',
  'post_index',
  'first_name',
  'date_of_birthday',
  'gender',
]
const customer = fc.record(
  {
    ip: mostly(fc.ipV4()),
    ipV4: mostly(fc.ipV4()),
    ipV6: mostly(fc.ipV6()),
    contact_info: mostly(fc.record({ email: mostly(fc.emailAddress()), phone_number: odd }, { requiredKeys: [] })),
    billing_info: mostly(fc.dictionary(fc.constantFrom(...billing), odd)),
  },
  { requiredKeys: [] },
)
const body = fc.record(
  {
    from_amount: mostly(sensible.amount),
    from_currency: mostly(sensible.fiat),
    from_network: odd,
    to_currency: mostly(sensible.coin),
    to_network: mostly(sensible.network),
    customer: mostly(customer),
    payout_info: mostly(
      fc.record({ payout_address: odd, extra_id: odd, skip_choose_payout_address: odd }, { requiredKeys: [] }),
    ),
    payout_address: odd,
    deposit: mostly(
      fc.record(
        { payment_category: mostly(fc.constant('VISA_MC')), skip_choose_payment_category: odd },
        { requiredKeys: [] },
      ),
    ),
    redirects: mostly(fc.record({ successful: mostly(fc.webUrl()), failed: odd }, { requiredKeys: [] })),
    external_partner_link_id: odd,
    locale: mostly(fc.constantFrom('en', 'pt-BR')),
    kyc_shared_token: odd,
  },
  { requiredKeys: ['from_amount', 'from_currency', 'to_currency'] },
)
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
    check(fc.tuple(body, query, fc.constantFrom('mainSecret', 'second')), async ([sent, pairs, key]) => {
      const asked = new URLSearchParams(pairs).toString()
      const text = JSON.stringify(sent)
      assertAnswered(
        await ask(`/v1/transaction?${asked}`, { body: text, key: keys[key as 'second'] }),
        201,
        `${asked} ${text}`,
      )
    }))

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
    await check(fc.oneof(fc.string({ unit: 'binary' }).map(textOf), spelled), async (text) => {
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
