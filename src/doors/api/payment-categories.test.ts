import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'

import { openTestApi, type TestApi } from '../../../test/support/api.ts'
import { changedMarket } from '../../../test/support/moved-market.ts'
import { offences } from '../../../test/support/strict-types.ts'
import { countries, servesCountry } from '../../reference/catalog/country.ts'
import { paymentCategories } from '../../reference/catalog/payment-category.ts'
import { setPartner } from '../../exchange/partners/change.ts'
import { createPartner } from '../../exchange/partners/create.ts'

let api: TestApi
before(async () => {
  api = await openTestApi()
})
after(() => api.close())

/** Each test runs in a different second, because answers are cached for one. */
let seconds = 0
const start = new Date('2026-11-20T08:00:00.000Z').getTime()
beforeEach(() => {
  seconds += 1
  const now = new Date(start + seconds * 1000)
  api.ctx.clock.now = () => now
})

async function list<Row>(url: string, key?: string): Promise<Row[]> {
  const { status, body, text } = await api.ask({ url, key })
  assert.equal(status, 200, text)
  return body as unknown as Row[]
}

type Ways = { deposit_enabled: boolean; withdrawal_enabled: boolean }
type CategoryRow = Ways & { name: string; category: string }
type CountryRow = Ways & { code_iso_alpha_2: string }

const categoriesOf = (path: string, key?: string) =>
  list<CategoryRow>(
    `/v1/countries/${path.replace('?', '/payment-categories?')}${path.includes('?') ? '' : '/payment-categories'}`,
    key,
  )
const countriesOf = (category: string, key?: string) =>
  list<CountryRow>(`/v1/payment-categories/${category}/countries`, key)

/** What is open, in short: `SEPA in out`. */
const inShort = (rows: CategoryRow[]) =>
  rows.map(
    ({ category, deposit_enabled: isIn, withdrawal_enabled: isOut }) =>
      `${category}${isIn ? ' in' : ''}${isOut ? ' out' : ''}`,
  )

describe('GET /v1/payment-categories', () => {
  it('200: all twelve, in a form that strict readers take', async () => {
    const rows = await list<object>('/v1/payment-categories')
    assert.deepEqual(
      rows,
      paymentCategories.map(({ id, name, category }) => ({ id, name, category })),
    )
    for (const row of rows) assert.deepEqual(offences('payment_category', row), [])
    assert.deepEqual(rows[3], { id: 4, name: 'Visa/MasterCard', category: 'VISA_MC' })
  })
})

describe('GET /v1/payment-categories/{category}/countries', () => {
  it('200: the served countries that the category reaches, in a form that strict readers take', async () => {
    for (const { category } of paymentCategories) {
      const rows = await countriesOf(category.toLowerCase())
      for (const row of rows) assert.deepEqual(offences('category_country', row), [])
      assert.deepEqual(
        rows.map((row) => row.code_iso_alpha_2),
        countries.filter((country) => servesCountry(category, country)).map(({ alpha2 }) => alpha2),
        category,
      )
    }
    assert.deepEqual(await countriesOf('PIX'), [
      {
        country_name: 'Brazil',
        code_iso_alpha_2: 'BR',
        code_iso_alpha_3: 'BRA',
        deposit_enabled: true,
        withdrawal_enabled: true,
      },
    ])
  })

  it('200: says the same as the other way round, of every category and country', async () => {
    const byCategory = new Set<string>()
    for (const { category } of paymentCategories) {
      for (const { code_iso_alpha_2: code, ...row } of await countriesOf(category)) {
        byCategory.add(`${code} ${inShort([{ ...row, category, name: '' }]).join()}`)
      }
    }
    const byCountry = new Set<string>()
    for (const { alpha2 } of countries) {
      for (const text of inShort(await categoriesOf(alpha2))) byCountry.add(`${alpha2} ${text}`)
    }
    assert.deepEqual(byCategory, byCountry)
  })

  it('200: without a price it is open nowhere', async () => {
    const { market } = api.ctx
    api.ctx.market = changedMarket(market, (book) =>
      book.market.base === 'BRL' || book.market.quote === 'BRL' ? undefined : book,
    )
    assert.deepEqual(await countriesOf('PIX'), [])
    assert.deepEqual(inShort(await categoriesOf('BR')).includes('PIX in out'), false)
    api.ctx.market = market
  })

  it('404 NOT_FOUND: an unknown category', async () => {
    for (const category of ['CASH', 'VISA', '%00', '__proto__', 'x'.repeat(99)]) {
      const answer = await api.ask({ url: `/v1/payment-categories/${category}/countries` })
      assert.deepEqual([answer.status, answer.code], [404, 'NOT_FOUND'], category)
    }
  })
})

describe('GET /v1/countries/{country}/payment-categories', () => {
  it('200: what is open there, in a form that strict readers take', async () => {
    const rows = await categoriesOf('br')
    for (const row of rows) assert.deepEqual(offences('country_category', row), [])
    assert.deepEqual(inShort(rows), [
      'CRYPTO in out',
      'SWIFT in out',
      'VISA_MC in',
      'APPLE_PAY in',
      'GOOGLE_PAY in',
      'PIX in out',
    ])
    assert.deepEqual(rows.at(-1), { name: 'Pix', category: 'PIX', deposit_enabled: true, withdrawal_enabled: true })
  })

  it('200: filtered by currency, network and direction', async () => {
    const filtered: [filter: string, expected: string[]][] = [
      ['BR?currency=brl', ['VISA_MC in', 'APPLE_PAY in', 'GOOGLE_PAY in', 'PIX in out']],
      ['BR?currency=BRL&direction=withdrawal', ['PIX in out']],
      [
        'DE?currency=EUR&network=EUR&direction=Deposit',
        ['SEPA in out', 'VISA_MC in', 'APPLE_PAY in', 'GOOGLE_PAY in', 'OPEN_BANKING in', 'REVOLUT_PAY in'],
      ],
      ['GB?currency=GBP&direction=withdrawal', ['FASTERPAYMENTS in out']],
      ['DE?network=op', ['CRYPTO in out']],
      ['DE?currency=USDT&network=TRX', ['CRYPTO in out']],
      ['DE?currency=BTC&network=TRX', []],
      ['DE?currency=&network=null&direction=', inShort(await categoriesOf('DE'))],
    ]
    for (const [path, expected] of filtered) assert.deepEqual(inShort(await categoriesOf(path)), expected, path)
  })

  it('200: a known country that is not served has none', async () => {
    for (const country of countries.filter(({ supported }) => !supported))
      assert.deepEqual(await categoriesOf(country.alpha2), [], country.name)
    assert.deepEqual(await categoriesOf('kp?currency=EUR'), [])
  })

  it('200: with a key, what is open on the terms of its account', async () => {
    const large = await createPartner(api.ctx, { name: 'Large' }, 'test')
    await setPartner(api.ctx, large.partner.id, { limits: '{"min": 22000, "max": 26000}' }, 'test')
    assert.deepEqual(inShort(await categoriesOf('DE?currency=EUR', large.public_key)), [
      'SEPA in out',
      'OPEN_BANKING in',
    ])
  })

  it('400 BAD_REQUEST: a filter that cannot be read', async () => {
    const filters = [
      ['currency=XXX', 'currency'],
      ['currency=%00', 'currency'],
      ['network=nowhere', 'network'],
      ['network=BTC&network=ETH', 'network'],
      ['direction=both', 'direction'],
    ]
    for (const [filter, path] of filters) {
      for (const country of ['DE', 'KP']) {
        const answer = await api.ask({ url: `/v1/countries/${country}/payment-categories?${filter}` })
        assert.deepEqual([answer.status, answer.code, answer.path], [400, 'BAD_REQUEST', path], filter)
      }
    }
  })

  it('404 NOT_FOUND: an unknown country, whatever the filter', async () => {
    for (const country of ['XX', 'EU', 'DEU', '%00', '__proto__', 'x'.repeat(99)]) {
      const answer = await api.ask({ url: `/v1/countries/${country}/payment-categories?direction=both` })
      assert.deepEqual([answer.status, answer.code], [404, 'NOT_FOUND'], country)
    }
  })
})
