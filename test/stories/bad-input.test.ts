import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'

import { refusals, type RefusalCode } from '../../src/platform/lib/refusal.ts'
import { type Answer, type Asking, type Exchange, startExchange } from '../support/exchange.ts'
import { assertBooksHold, lookup, type Refused } from '../support/journey.ts'
import { table } from '../support/table.ts'

let exchange: Exchange
before(async () => {
  exchange = await startExchange({ RATE_LIMITS: 'off' })
})
after(() => exchange.stop())

/** A refusal in the one shape that all have: its status is the code's, it names the field, and repeats nothing of ours. */
function assertRefused(answer: Answer<Refused>, code: string, path: string, what: string): void {
  const { status, body, headers } = answer
  assert.deepEqual([body.code, body.errors?.[0]?.path ?? '-'], [code, path], what)
  assert.deepEqual([status, body.statusCode], [refusals[code as RefusalCode], status], what)
  assert.equal(typeof body.message, 'string')
  assert.match(body.message, /^(?:[A-Z]|[\w.]+:? )[^\n]+[.\d]$/, what)
  assert.equal(body.request_id, headers.get('x-request-id'))
  for (const problem of body.errors) assert.ok(problem.path && problem.code && problem.message, what)
}

const ask = (path: string, asking: Asking = {}) => exchange.api<Refused>(path, asking)

const kept =
  'transactions quotes status_history events entries postings rail_events deposits jobs partner_customers idempotent_answers'

/** How many rows there are of all that a create or a payment leaves behind. */
const traces = () => {
  const counts = kept.split(' ').map((name) => `select '${name}' as name, count(*) from ${name}`)
  return lookup(exchange, counts.join(' union all '))
}

/** Does what must leave no trace. */
async function withoutTrace(work: () => Promise<void>): Promise<void> {
  const before = await traces()
  await work()
  assert.deepEqual(await traces(), before)
  await assertBooksHold(exchange)
}

describe('GET /v1/estimate', () => {
  const rows = table(`
    query                          code                   path
    from_currency=                 BAD_REQUEST            from_currency
    from_currency=null             BAD_REQUEST            from_currency
    to_currency=                   BAD_REQUEST            to_currency
    from_amount=                   BAD_REQUEST            from_amount
    from_amount=null               BAD_REQUEST            from_amount
    from_amount=abc                BAD_REQUEST            from_amount
    from_amount=-1                 BAD_REQUEST            from_amount
    from_amount=0                  BAD_REQUEST            from_amount
    from_amount=0.00               BAD_REQUEST            from_amount
    from_amount=1e31               BAD_REQUEST            from_amount
    from_amount=%2B100             BAD_REQUEST            from_amount
    from_amount=100.               BAD_REQUEST            from_amount
    from_amount=.5                 BAD_REQUEST            from_amount
    from_amount=100,00             BAD_REQUEST            from_amount
    from_amount=0x64               BAD_REQUEST            from_amount
    from_amount=%EF%BC%91%EF%BC%90  BAD_REQUEST            from_amount
    from_amount=Infinity           BAD_REQUEST            from_amount
    from_amount=19.99              BAD_REQUEST            from_amount
    from_amount=15000.01           BAD_REQUEST            from_amount
    type=reverse                   BAD_REQUEST            to_amount
    to_amount=99999999             BAD_REQUEST            to_amount
    to_amount=0.00000001           BAD_REQUEST            to_amount
    to_amount=0.000000001          BAD_REQUEST            to_amount
    type=sideways                  BAD_REQUEST            type
    fees_included=maybe            BAD_REQUEST            fees_included
    customer_country=XX            BAD_REQUEST            query.customer_country
    customer_country=DEU           BAD_REQUEST            query.customer_country
    customer_country=KP            COUNTRY_NOT_SUPPORTED  query.customer_country
    from_currency=XXX              PAIR_NOT_AVAILABLE     from_currency
    from_currency=__proto__        PAIR_NOT_AVAILABLE     from_currency
    to_currency=toString           PAIR_NOT_AVAILABLE     to_currency
    to_currency=EUR                PAIR_NOT_AVAILABLE     to_currency
    from_currency=BTC              PAIR_NOT_AVAILABLE     to_currency
    from_network=BTC               PAIR_NOT_AVAILABLE     from_network
    to_network=ETH                 PAIR_NOT_AVAILABLE     to_network
    to_network=FOO                 PAIR_NOT_AVAILABLE     to_network
    deposit_type=PIX_1             PAIR_NOT_AVAILABLE     deposit_type
    deposit_type=FOO               PAIR_NOT_AVAILABLE     deposit_type
    deposit_category=PIX           PAIR_NOT_AVAILABLE     deposit_category
    payout_type=SEPA_1             PAIR_NOT_AVAILABLE     payout_type
  `)
  const good = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }

  it('refuses what it cannot answer, and says where', async () => {
    for (const { query = '', code = '', path = '' } of rows) {
      const [name = '', value = ''] = query.split('=')
      const rest = Object.entries(good).filter(([field]) => field !== name)
      const asked = [...rest, [name, value]].map(([field, text]) => `${field}=${text}`).join('&')
      assertRefused(await ask(`/v1/estimate?${asked}`), code, path, asked)
    }
    for (const name of Object.keys(good)) {
      assertRefused(
        await ask(`/v1/estimate?${new URLSearchParams(good)}&${name}=1`),
        'BAD_REQUEST',
        name,
        `${name} twice`,
      )
    }
  })

  it('says what the range is, and takes both of its ends', async () => {
    const { body } = await ask('/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=1')
    const { min, max } = body.errors[0] ?? {}
    assert.deepEqual([min, max], ['20', '15000'])
    assert.equal(body.message, 'EUR amount must be higher than 20 and lower than 15000')
    for (const end of [min, max]) {
      assert.equal((await ask(`/v1/estimate?from_currency=EUR&to_currency=BTC&from_amount=${end}`)).status, 200)
    }
  })
})

describe('POST /v1/transaction', () => {
  const rows = table(`
    body                                                                    code                path
    {"from_amount": null}                                                   BAD_REQUEST         from_amount
    {"from_amount": true}                                                   BAD_REQUEST         from_amount
    {"from_amount": [100]}                                                  BAD_REQUEST         from_amount
    {"from_amount": -100}                                                   BAD_REQUEST         from_amount
    {"from_amount": 0.0010}                                                BAD_REQUEST         from_amount
    {"from_amount": "1e2"}                                                  BAD_REQUEST         from_amount
    {"from_amount": 19.99}                                                  BAD_REQUEST         from_amount
    {"from_currency": 5}                                                    BAD_REQUEST         from_currency
    {"from_currency": ""}                                                   BAD_REQUEST         from_currency
    {"from_currency": "EUR\\u0000"}                                         BAD_REQUEST         from_currency
    {"to_currency": ["BTC"]}                                                BAD_REQUEST         to_currency
    {"to_currency": "NOPE"}                                                 PAIR_NOT_AVAILABLE  to_currency
    {"to_currency": "EUR"}                                                  PAIR_NOT_AVAILABLE  to_currency
    {"to_network": {}}                                                      BAD_REQUEST         to_network
    {"to_network": "TRX"}                                                   PAIR_NOT_AVAILABLE  to_network
    {"deposit": 7}                                                          BAD_REQUEST         deposit
    {"deposit": {"payment_category": "PIX"}}                                PAIR_NOT_AVAILABLE  deposit.payment_category
    {"deposit": {"skip_choose_payment_category": "maybe"}}                  BAD_REQUEST         deposit.skip_choose_payment_category
    {"customer": "x"}                                                       BAD_REQUEST         customer
    {"customer": []}                                                        BAD_REQUEST         customer
    {"customer": {"ip": "x"}}                                               BAD_REQUEST         customer.ip
    {"customer": {"ipV4": "::1"}}                                           BAD_REQUEST         customer.ipV4
    {"customer": {"ipV6": "1.1.1.1"}}                                       BAD_REQUEST         customer.ipV6
    {"customer": {"contact_info": "x"}}                                     BAD_REQUEST         customer.contact_info
    {"customer": {"contact_info": {"email": "x"}}}                          BAD_REQUEST         customer.contact_info.email
    {"customer": {"contact_info": {"phone_number": "abc"}}}                 BAD_REQUEST         customer.contact_info.phone_number
    {"customer": {"billing_info": []}}                                      BAD_REQUEST         customer.billing_info
    {"customer": {"billing_info": {"gender": "X"}}}                         BAD_REQUEST         customer.billing_info.gender
    {"customer": {"billing_info": {"date_of_birthday": "31.02.1990"}}}      BAD_REQUEST         customer.billing_info.date_of_birthday
    {"customer": {"billing_info": {"date_of_birthday": "01.01.2020"}}}      BAD_REQUEST         customer.billing_info.date_of_birthday
    {"customer": {"billing_info": {"date_of_birthday": "1990-01-31"}}}      BAD_REQUEST         customer.billing_info.date_of_birthday
    {"customer": {"billing_info": {"us_region_alpha_2": "CA"}}}             BAD_REQUEST         customer.billing_info.us_region_alpha_2
    {"customer": {"billing_info": {"country_alpha_2": "XX"}}}               BAD_REQUEST         customer.billing_info.country_alpha_2
    {"payout_info": "x"}                                                    BAD_REQUEST         payout_info
    {"payout_info": {"payout_address": 5}}                                  BAD_REQUEST         payout_info.payout_address
    {"payout_info": {"payout_address": "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5"}}  BAD_REQUEST  payout_info.payout_address
    {"payout_info": {"payout_address": "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}}  BAD_REQUEST  payout_info.payout_address
    {"payout_info": {"skip_choose_payout_address": 2}}                      BAD_REQUEST         payout_info.skip_choose_payout_address
    {"redirects": {"successful": "javascript:alert(1)"}}                    BAD_REQUEST         redirects.successful
    {"redirects": {"cancelled": "//a.example"}}                             BAD_REQUEST         redirects.cancelled
    {"redirects": {"failed": "data:text/html,x"}}                           BAD_REQUEST         redirects.failed
    {"locale": "../../etc"}                                                 BAD_REQUEST         locale
    {"external_partner_link_id": {}}                                        BAD_REQUEST         external_partner_link_id
    {"external_partner_link_id": "\\ud800"}                                 BAD_REQUEST         external_partner_link_id
  `)
  const good = { from_amount: '100', from_currency: 'EUR', to_currency: 'BTC' }

  it('refuses what cannot be exchanged, says where, and leaves no trace', () =>
    withoutTrace(async () => {
      for (const { body = '', code = '', path = '' } of rows) {
        const whole = { ...good, ...(JSON.parse(body) as object) }
        const headers = { 'idempotency-key': body.replace(/[^ -~]/g, '') }
        assertRefused(await ask('/v1/transaction', { body: whole, headers }), code, path, body)
      }
      for (const [country, code] of [
        ['XX', 'BAD_REQUEST'],
        ['KP', 'COUNTRY_NOT_SUPPORTED'],
        ['D', 'BAD_REQUEST'],
      ] as const) {
        const answer = await ask(`/v1/transaction?customer_country=${country}`, { body: good })
        assertRefused(answer, code, 'query.customer_country', country)
      }
    }))

  it('names every fault of the form at once', async () => {
    const { body } = await ask('/v1/transaction', { body: { customer: { ip: 'x', contact_info: { email: 'y' } } } })
    assert.deepEqual(
      body.errors.map(({ path }) => path),
      ['from_amount', 'from_currency', 'to_currency', 'customer.ip', 'customer.contact_info.email'],
    )
  })

  it('refuses what is no JSON object of a bearable size', () =>
    withoutTrace(async () => {
      for (const body of [
        '{',
        '{"a":1,}',
        '[]',
        '1',
        'null',
        'true',
        '"x"',
        '\u0000',
        'NaN',
        '['.repeat(50_000),
        '{"a":'.repeat(50_000),
      ]) {
        assertRefused(await ask('/v1/transaction', { body }), 'BAD_REQUEST', '-', body.slice(0, 20))
      }
      const large = JSON.stringify({ ...good, note: 'x'.repeat(262_144) })
      assertRefused(await ask('/v1/transaction', { body: large }), 'PAYLOAD_TOO_LARGE', '-', 'large')
      for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/xml', ';;;', '']) {
        const headers = { 'content-type': type }
        assertRefused(await ask('/v1/transaction', { body: good, headers }), 'UNSUPPORTED_MEDIA_TYPE', '-', type)
      }
      const headers = { 'idempotency-key': 'x'.repeat(256) }
      assertRefused(await ask('/v1/transaction', { body: good, headers }), 'BAD_REQUEST', '-', 'a long key')
    }))
})

describe('every address', () => {
  const rows = table(`
    method   address                                   key      code                path
    GET      /nothing                                  secret   NOT_FOUND           -
    GET      /v1/nothing                               none     NOT_FOUND           -
    GET      /v1/transaction/0                         secret   NOT_FOUND           -
    GET      /v1/transaction/-1                        secret   NOT_FOUND           -
    GET      /v1/transaction/abc                       secret   NOT_FOUND           -
    GET      /v1/transaction/%                         secret   NOT_FOUND           -
    GET      /v1/transaction/9223372036854775807       secret   NOT_FOUND           -
    GET      /v1/transaction/9223372036854775808       secret   NOT_FOUND           -
    GET      /v1/currencies/xyz                        none     NOT_FOUND           -
    GET      /v1/currencies?available=perhaps          none     BAD_REQUEST         available
    GET      /v1/market-info/min-max-range/xyz_btc     none     NOT_FOUND           -
    GET      /v1/market-info/min-max-range/eur_xyz     none     NOT_FOUND           -
    GET      /v1/market-info/min-max-range/eur         none     NOT_FOUND           -
    GET      /v1/market-info/min-max-range/eur_usd     none     PAIR_NOT_AVAILABLE  to_currency
    GET      /v1/market-info/min-max-range/eur_btc-eth  none    PAIR_NOT_AVAILABLE  to_network
    GET      /v1/transaction                           secret   METHOD_NOT_ALLOWED  -
    DELETE   /v1/transaction/1                         secret   METHOD_NOT_ALLOWED  -
    PATCH    /v1/estimate                              secret   METHOD_NOT_ALLOWED  -
    POST     /v1/status                                none     METHOD_NOT_ALLOWED  -
    GET      /v1/estimate                              none     INVALID_TOKEN       -
    GET      /v1/estimate                              wrong    INVALID_TOKEN       -
    GET      /v1/estimate                              revoked  INVALID_TOKEN       -
    GET      /v1/status                                wrong    INVALID_TOKEN       -
    GET      /v1/currencies                            revoked  INVALID_TOKEN       -
    POST     /v1/transaction                           none     INVALID_TOKEN       -
    GET      /v1/sandbox/clock                         public   FORBIDDEN           -
    POST     /v1/sandbox/clock                         public   FORBIDDEN           -
    GET      /v1/sandbox/mail?to=a&to=b                secret   BAD_REQUEST         to
    POST     /v1/sandbox/transaction/1/checkout        secret   NOT_FOUND           -
    POST     /v1/sandbox/transaction/1/deposit         secret   NOT_FOUND           -
    POST     /v1/sandbox/transaction/abc/deposit       secret   NOT_FOUND           -
    POST     /v1/sandbox/scenarios/nothing             secret   NOT_FOUND           -
    POST     /callbacks/nobody                         none     NOT_FOUND           -
    POST     /callbacks/sandbox-card                   none     SIGNATURE_INVALID   -
  `)

  it('refuses in the same shape whoever or whatever does not belong there', () =>
    withoutTrace(async () => {
      const { public_key, secret_key, revoked_key } = exchange.sandbox
      const keys: Record<string, string | null> = {
        public: public_key,
        secret: secret_key,
        revoked: revoked_key,
        wrong: 'sk_test_x',
        none: null,
      }
      for (const { method = '', address = '', key = '', code = '', path = '' } of rows) {
        const asking = { method, key: keys[key] ?? null, ...(method.startsWith('P') ? { body: {} } : {}) }
        const answer = await ask(address, asking)
        assertRefused(answer, code, path, `${method} ${address} with ${key}`)
        if (code === 'METHOD_NOT_ALLOWED') assert.match(answer.headers.get('allow') ?? '', /[A-Z]+/)
      }
    }))

  it('refuses a pair of keys of two partners, and a public one in the secret one’s place', async () => {
    const { public_key, secret_key, second_partner } = exchange.sandbox
    for (const secret of [second_partner.secret_key, public_key, 'sk_test_x']) {
      const answer = await ask('/v1/sandbox/clock', { key: public_key, headers: { 'x-secret-key': secret } })
      assertRefused(answer, 'INVALID_TOKEN', '-', secret)
    }
    assert.equal(
      (await ask('/v1/sandbox/clock', { key: public_key, headers: { 'x-secret-key': secret_key } })).status,
      200,
    )
  })
})
