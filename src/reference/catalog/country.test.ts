import assert from 'node:assert/strict'
import { describe, test } from 'node:test'

import { iso31661 } from 'iso-3166'

import { assertUnique } from '../../../test/support/assert-unique.ts'
import { countries, findCountry, servesCountry } from './country.ts'
import { blockedCountries } from './data/blocked-countries.ts'
import { categoryCountries } from './data/category-countries.ts'
import { paymentCategories } from './payment-category.ts'

describe('countries', () => {
  test('there are the 249 of ISO 3166-1, each code and name once, in order', () => {
    assert.equal(countries.length, 249)
    for (const column of ['id', 'alpha2', 'alpha3', 'numeric', 'name'] as const)
      assertUnique(countries.map((row) => row[column]))
    assert.deepEqual(
      countries.map(({ alpha2 }) => alpha2),
      countries.map(({ alpha2 }) => alpha2).toSorted(),
    )
    for (const { id, alpha2, alpha3, numeric, name } of countries) {
      assert.match(`${alpha2} ${alpha3} ${numeric} ${id}`, /^[A-Z]{2} [A-Z]{3} \d{3} [1-9]\d{0,2}$/)
      assert.equal(id.padStart(3, '0'), numeric)
      assert.equal(name, name.trim())
    }
  })

  test('they are the assigned rows of ISO 3166-1, code by code', () => {
    const rows = (list: readonly { alpha2: string; alpha3: string; numeric: string }[]): string[] =>
      list.map(({ alpha2, alpha3, numeric }) => `${alpha2} ${alpha3} ${numeric}`).toSorted()
    assert.deepEqual(rows(countries), rows(iso31661))
  })

  test('Unicode knows each alpha-2 code and each numeric code, as the same region', () => {
    const regions = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' })
    for (const { alpha2, numeric } of countries) {
      assert(regions.of(alpha2), alpha2)
      assert.equal(new Intl.Locale(`und-${numeric}`).region, alpha2)
    }
  })

  test('every blocked country exists, is not supported, and says why', () => {
    for (const [code, reason] of Object.entries(blockedCountries)) {
      assert.equal(findCountry(code)?.supported, false, code)
      assert(reason.length > 10)
    }
    assert.equal(countries.filter(({ supported }) => !supported).length, Object.keys(blockedCountries).length)
  })
})

describe('where a category serves', () => {
  test('each says where it serves, in countries that exist and are served', () => {
    assert.deepEqual(
      Object.keys(categoryCountries).toSorted(),
      paymentCategories.map(({ category }) => category).toSorted(),
    )
    for (const reach of Object.values(categoryCountries)) {
      if (reach === 'everywhere') continue
      for (const code of reach) assert(findCountry(code)?.supported, code)
    }
  })

  test('the card serves every served country and no blocked one', () => {
    for (const country of countries) assert.equal(servesCountry('VISA_MC', country), country.supported)
  })

  test('what one country built serves that country', () => {
    for (const [category, country] of [
      ['PIX', 'BR'],
      ['SPEI', 'MX'],
      ['PSE', 'CO'],
      ['FASTERPAYMENTS', 'GB'],
    ] as const)
      assert.deepEqual(
        countries.filter((one) => servesCountry(category, one)).map(({ alpha2 }) => alpha2),
        [country],
      )
  })

  test('SEPA serves Germany, Switzerland and Reunion, and not the United States', () => {
    const serves = ['DE', 'CH', 'RE', 'US'].map((code) => {
      const country = findCountry(code)
      assert(country)
      return servesCountry('SEPA', country)
    })
    assert.deepEqual(serves, [true, true, true, false])
  })
})
