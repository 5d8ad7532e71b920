import assert from 'node:assert/strict'
import { describe, it, test } from 'node:test'

import fc from 'fast-check'

import { parseJson } from '../../platform/lib/json.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { defaultSettings, featureNames, merged } from '../../exchange/partners/settings.ts'
import { readCreate } from './create-body.ts'
import { isObject } from './json-body.ts'

const now = new Date('2026-06-15T12:00:00.000Z')
const every = Object.fromEntries(featureNames.map((name) => [name, true]))

const partnerWith = (features: Partial<typeof defaultSettings.features>): Partner => ({
  id: 1n,
  name: 'Shop',
  settings: merged(defaultSettings, { features }),
  createdAt: now,
  disabledAt: null,
  volumeCents: 0n,
})

const valid = { from_amount: 100, from_currency: 'EUR', to_currency: 'BTC' }

type Change = { query?: Record<string, string | string[]>; forwardedCustomer?: string; features?: object }

const plainRequest = { query: {}, forwardedCustomer: undefined, isUnsigned: false, allowsLoopback: true, now }

/** Reads a body as it comes over the wire. */
function read(body: unknown, { query = {}, forwardedCustomer, features = every }: Change = {}) {
  const parsed = parseJson(JSON.stringify(body))
  assert.ok(isObject(parsed))
  return readCreate(partnerWith(features), { ...plainRequest, body: parsed, query, forwardedCustomer })
}

const pathsOf = (body: unknown, change?: Change) => read(body, change).problems.map(({ path }) => path)

describe('a create body', () => {
  it('is read whole', () => {
    const { input, problems, warnings } = read(
      {
        from_amount: '100.50',
        from_currency: 'eur',
        from_network: 'EUR',
        to_currency: 'usdt',
        to_network: 'trx',
        payout_info: { payout_address: 'T1', extra_id: '7', skip_choose_payout_address: true },
        deposit: { payment_category: 'VISA_MC', skip_choose_payment_category: 'true' },
        customer: { ip: '192.0.2.1', contact_info: { email: 'a@example.com', phone_number: '+49 151 23456789' } },
        redirects: { successful: 'https://shop.example/ok?id=$$', cancelled: 'http://localhost:8080/no', failed: null },
        external_partner_link_id: 'order 7',
        locale: 'pt-BR',
        nonsense: { deep: [1, 2, 3] },
      },
      { query: { customer_country: 'de', side: 'buy' } },
    )
    assert.deepEqual(problems, [])
    assert.deepEqual(warnings, [])
    assert.deepEqual(input, {
      fromAmount: '100.50',
      fromCurrency: 'eur',
      fromNetwork: 'EUR',
      toCurrency: 'usdt',
      toNetwork: 'trx',
      depositCategory: 'VISA_MC',
      skipChoosePaymentCategory: true,
      payoutAddress: 'T1',
      payoutExtraId: '7',
      payoutHolder: undefined,
      skipChoosePayoutAddress: true,
      customerIp: '192.0.2.1',
      customerIpPath: 'customer.ip',
      email: 'a@example.com',
      phoneNumber: '+49 151 23456789',
      billing: undefined,
      countryOverride: 'DE',
      redirects: {
        successful: 'https://shop.example/ok?id=$$',
        cancelled: 'http://localhost:8080/no',
        failed: undefined,
      },
      externalPartnerLinkId: 'order 7',
      locale: 'pt-BR',
    })
  })

  it('keeps every digit of a number, in any spelling', () => {
    const { input } = readCreate(partnerWith({}), {
      body: parseJson('{"from_amount": 5e-7, "from_currency": "BTC", "to_currency": "EUR"}') as Record<string, unknown>,
      ...plainRequest,
    })
    assert.equal(input.fromAmount, '0.0000005')
  })

  it('tells every problem of its form with its path, in the order of the fields', () => {
    assert.deepEqual(pathsOf({}), ['from_amount', 'from_currency', 'to_currency'])
    const body = {
      from_amount: '-1',
      from_currency: 7,
      to_currency: '',
      customer: { ip: 'here', ipV4: '::1', ipV6: '192.0.2.1', contact_info: { email: 'a@b', phone_number: 'call me' } },
      payout_info: { skip_choose_payout_address: 'perhaps', extra_id: {} },
      deposit: [],
      redirects: { successful: 'javascript:alert(1)', failed: 'ftp://x.example' },
      external_partner_link_id: 'x'.repeat(256),
      locale: '../../etc',
    }
    assert.deepEqual(pathsOf(body, { query: { customer_country: 'DEU' } }), [
      'deposit',
      'from_amount',
      'from_currency',
      'to_currency',
      'payout_info.extra_id',
      'payout_info.skip_choose_payout_address',
      'customer.ip',
      'customer.ipV4',
      'customer.ipV6',
      'customer.contact_info.email',
      'customer.contact_info.phone_number',
      'redirects.successful',
      'redirects.failed',
      'external_partner_link_id',
      'locale',
      'query.customer_country',
    ])
  })

  it('may leave out anything but the amount and the two currencies, by any way of leaving out', () => {
    for (const nothing of [undefined, null, '']) {
      const body = {
        ...valid,
        from_network: nothing,
        payout_info: nothing,
        deposit: nothing,
        redirects: nothing,
        locale: nothing,
        customer: { ip: nothing, contact_info: nothing, billing_info: nothing },
      }
      const { problems, warnings } = read(body, { features: {} })
      assert.deepEqual([problems, warnings], [[], []])
    }
    assert.deepEqual(pathsOf({ ...valid, payout_info: {}, customer: {}, deposit: {} }), [])
  })

  it('refuses a customer and other parts that are no objects', () => {
    for (const wrong of ['x', 7, true, [], [{}]]) {
      for (const part of ['customer', 'payout_info', 'deposit', 'redirects']) {
        assert.deepEqual(pathsOf({ ...valid, [part]: wrong }), [part])
      }
      assert.deepEqual(pathsOf({ ...valid, customer: { billing_info: wrong } }), ['customer.billing_info'])
    }
  })

  it('reads the older names of the payout address, and the newer ones win', () => {
    const older = { ...valid, payout_address: 'old', payout_extra_id: 12_345 }
    assert.equal(read(older).input.payoutAddress, 'old')
    assert.equal(read(older).input.payoutExtraId, '12345')
    const both = read({ ...older, payout_info: { payout_address: 'new', extra_id: 'n' } }).input
    assert.deepEqual([both.payoutAddress, both.payoutExtraId], ['new', 'n'])
    assert.deepEqual(pathsOf({ ...valid, payout_address: 7.5 }), ['payout_address'])
  })

  it('refuses what cannot be printed or stored', () => {
    for (const text of ['a\u0000b', 'a\nb', '\u001b[31m', 'a\u0085', '\ud800', '\udc00x']) {
      assert.deepEqual(pathsOf({ ...valid, external_partner_link_id: text }), ['external_partner_link_id'])
    }
    assert.deepEqual(pathsOf({ ...valid, external_partner_link_id: 'naïve 😀 名' }), [])
  })

  it('takes the first of ip, ipV4 and ipV6, and the deprecated inputs only where there is none of them', () => {
    const deprecated = { query: { ip: '198.51.100.7' }, forwardedCustomer: '203.0.113.5' }
    const six = { ...valid, customer: { ipV6: '2001:DB8::1' } }
    assert.equal(read(six, deprecated).input.customerIp, '2001:db8::1')
    const three = { ...valid, customer: { ip: '192.0.2.1', ipV4: '192.0.2.2', ipV6: '2001:db8::1' } }
    assert.equal(read(three, deprecated).input.customerIp, '192.0.2.1')
    assert.equal(read(valid, deprecated).input.customerIp, '203.0.113.5')
    assert.equal(read(valid, { query: { ip: '198.51.100.7' } }).input.customerIp, '198.51.100.7')
    assert.equal(read(valid, { query: { ip: 'rubbish' } }).input.customerIp, undefined)
    assert.equal(read(valid, { query: { ip: ['198.51.100.7', '1.1.1.1'] } }).input.customerIp, undefined)
  })
})

describe('a feature that is off', () => {
  const body = {
    ...valid,
    customer: { billing_info: { country_alpha_2: 'nonsense', gender: 7 } },
    payout_info: { payout_address: '4242424242424242', skip_choose_payout_address: 'perhaps' },
    kyc_shared_token: { not: 'a text' },
  }

  it('has its fields ignored, not judged, and reported', () => {
    const off = Object.fromEntries(featureNames.map((name) => [name, false]))
    const { input, problems, warnings } = read(body, { features: off, query: { customer_country: 'ZZZ' } })
    assert.deepEqual(problems, [])
    assert.deepEqual(
      warnings.map(({ code, path }) => `${code} ${path}`),
      [
        'FEATURE_NOT_ENABLED payout_info.payout_address',
        'FEATURE_NOT_ENABLED customer.billing_info',
        'FEATURE_NOT_ENABLED kyc_shared_token',
        'FEATURE_NOT_ENABLED query.customer_country',
      ],
    )
    assert.deepEqual([input.billing, input.payoutAddress, input.countryOverride], [undefined, undefined, undefined])
    assert.equal(input.skipChoosePayoutAddress, false)
  })

  it('is not reported where nothing was passed for it', () => {
    assert.deepEqual(read(valid, { features: {}, query: { customer_country: 'null' } }).warnings, [])
    const elsewhere = read({ ...valid, customer_country: 'DE' }, { features: {} })
    assert.deepEqual([elsewhere.warnings, elsewhere.input.countryOverride], [[], undefined])
  })
})

test('a card number is refused in every text that is read but the memo, and never repeated', () => {
  const card = '4242 4242 4242 4242'
  const texts: [path: string, body: object][] = [
    ['from_network', { from_network: card }],
    ['from_currency', { from_currency: card }],
    ['payout_address', { payout_address: card }],
    ['payout_info.payout_address', { payout_info: { payout_address: card } }],
    ['deposit.payment_category', { deposit: { payment_category: card } }],
    ['customer.contact_info.email', { customer: { contact_info: { email: '4242424242424242@example.com' } } }],
    ['customer.contact_info.phone_number', { customer: { contact_info: { phone_number: card } } }],
    ['customer.contact_info.phone_number', { customer: { contact_info: { phone_number: `+${card}` } } }],
    ['customer.billing_info.street_address', { customer: { billing_info: { street_address: card } } }],
    ['customer.billing_info.first_name', { customer: { billing_info: { first_name: card } } }],
    ['customer.billing_info.post_index', { customer: { billing_info: { post_index: card } } }],
    ['redirects.successful', { redirects: { successful: 'https://shop.example/4242424242424242' } }],
    ['external_partner_link_id', { external_partner_link_id: card }],
    ['locale', { locale: card }],
  ]
  for (const [path, change] of texts) {
    const { problems } = read({ ...valid, ...change })
    assert.deepEqual(
      problems.map((problem) => problem.path),
      [path],
    )
    assert.ok(!JSON.stringify(problems).includes('4242'), path)
  }
  const number = parseJson('{"external_partner_link_id": 4242424242424242}') as Record<string, unknown>
  const { problems } = readCreate(partnerWith({}), {
    body: number,
    ...plainRequest,
  })
  assert.ok(problems.some(({ path, code }) => path === 'external_partner_link_id' && code === 'CARD_NUMBER'))
  assert.deepEqual(pathsOf({ ...valid, payout_info: { extra_id: card } }), [])
})

test('a telephone number that could be a card is refused without +, and any other is taken', () => {
  const pathsWith = (phone_number: string) => pathsOf({ ...valid, customer: { contact_info: { phone_number } } })
  const path = 'customer.contact_info.phone_number'
  assert.deepEqual(pathsWith('+4915123450004'), [])
  assert.deepEqual(pathsWith('+4242424242424242'), [path])
  assert.deepEqual(pathsWith('378282246310005'), [path])
  assert.deepEqual(pathsWith('+49 151 2345 6781'), [])
})

test('any JSON object at all is read without a fault, and nothing of it is repeated', () => {
  const names = namesIn(`
    from_amount from_currency to_currency customer payout_info deposit redirects locale contact_info billing_info email
    phone_number ip ipV4 payout_address extra_id successful date_of_birthday gender country_alpha_2
    skip_choose_payout_address __proto__ constructor`)
  const marked = fc.string({ maxLength: 12 }).map((text) => `mark${text}`)
  const value = fc.letrec((tie) => ({
    any: fc.oneof(
      { depthSize: 'small' },
      fc.constant(null),
      fc.boolean(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      marked,
      fc.array(tie('any'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...names), tie('any'), { maxKeys: 8 }),
    ),
  })).any
  const query = fc.dictionary(
    fc.constantFrom('customer_country', 'ip', 'side'),
    fc.oneof(marked, fc.array(marked, { maxLength: 2 })),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), value, { maxKeys: 12 }), query, (body, asked) => {
      const { problems } = read(body, { query: asked })
      assert.ok(problems.length > 0)
      assert.ok(!JSON.stringify(problems).includes('mark'))
    }),
    { numRuns: 1_000 },
  )
})

const namesIn = (text: string): string[] => text.trim().split(/\s+/)
