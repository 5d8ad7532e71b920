import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { readBilling } from './billing-body.ts'
import { fieldReader } from './fields.ts'

const today = new Date('2026-06-15T12:00:00.000Z')

/** Reads billing fields alone: what was understood, and where something is wrong. */
function read(given: Record<string, unknown>) {
  const reader = fieldReader()
  const billing = readBilling(reader, given, today)
  return { billing, paths: reader.problems.map(({ path }) => path.replace('customer.billing_info.', '')) }
}

test('billing information may be passed in part; what is passed must be right', () => {
  const rows = table(`
    field               value           outcome
    country_alpha_2     de              DE
    country_alpha_2     DEU             refused
    country_alpha_2     QQ              refused
    date_of_birthday    15.06.2008      15.06.2008
    date_of_birthday    16.06.2008      refused
    date_of_birthday    29.02.2000      29.02.2000
    date_of_birthday    29.02.2001      refused
    date_of_birthday    31.04.1990      refused
    date_of_birthday    00.01.1990      refused
    date_of_birthday    1990-01-01      refused
    date_of_birthday    1.1.1990        refused
    date_of_birthday    15.06.1906      15.06.1906
    date_of_birthday    14.06.1905      refused
    gender              f               F
    gender              X               refused
    apt_number          -               -
    city                São Paulo       São Paulo
    us_region_alpha_2   CA              refused
  `)
  const names: Record<string, string> = {
    country_alpha_2: 'countryAlpha2',
    date_of_birthday: 'dateOfBirthday',
    gender: 'gender',
    apt_number: 'aptNumber',
    city: 'city',
  }
  for (const { field = '', value = '', outcome } of rows) {
    const { billing, paths } = read({ [field]: value })
    if (outcome === 'refused') assert.deepEqual(paths, [field], value)
    else assert.deepEqual([billing, paths], [{ [names[field] ?? '']: outcome }, []], value)
  }
  assert.equal(read({}).billing, undefined)
})

test('a region of the United States is one of theirs, and goes with no other country', () => {
  const region = 'us_region_alpha_2'
  assert.deepEqual(read({ [region]: 'ca', country_alpha_2: 'us' }), {
    billing: { countryAlpha2: 'US', usRegionAlpha2: 'CA' },
    paths: [],
  })
  assert.deepEqual(read({ [region]: 'ZZ', country_alpha_2: 'US' }).paths, [region])
  assert.deepEqual(read({ [region]: 'CA', country_alpha_2: 'DE' }).paths, [region])
  assert.deepEqual(read({ [region]: 'CA' }).paths, [region])
})
