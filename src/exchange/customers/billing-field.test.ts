import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import {
  type Billing,
  type BillingField,
  billingFields,
  fullNameIn,
  isBillingComplete,
  mergeBilling,
  missingBilling,
} from './billing-field.ts'

const whole: Billing = {
  countryAlpha2: 'US',
  usRegionAlpha2: 'NY',
  region: 'New York',
  city: 'Albany',
  streetAddress: '1 State Street',
  aptNumber: '-',
  postIndex: '12207',
  firstName: 'Ann',
  lastName: 'Smith',
}

const anyText = fc.constantFrom('one', 'two', 'three')
const values: Record<BillingField, fc.Arbitrary<string>> = {
  countryAlpha2: fc.constantFrom('US', 'NL', 'DE'),
  usRegionAlpha2: fc.constantFrom('NY', 'CA'),
  region: anyText,
  city: anyText,
  streetAddress: anyText,
  aptNumber: anyText,
  postIndex: anyText,
  firstName: anyText,
  lastName: anyText,
  dateOfBirthday: fc.constantFrom('23.04.1987', '01.01.2000'),
  gender: fc.constantFrom('F', 'M', 'O'),
}
const anyBilling: fc.Arbitrary<Billing> = fc.record(values, { requiredKeys: [] })

test('every required field of the contract is asked for, and no other', () => {
  assert.deepEqual(missingBilling(whole), [])
  const { usRegionAlpha2: _, ...elsewhere } = { ...whole, countryAlpha2: 'NL' }
  assert.ok(isBillingComplete(elsewhere))
  for (const field of Object.keys(elsewhere) as (keyof typeof elsewhere)[]) {
    for (const nothing of [undefined, '', '  ']) {
      const { [field]: _gone, ...others } = elsewhere
      const billing = nothing === undefined ? others : { ...others, [field]: nothing }
      assert.deepEqual([missingBilling(billing), isBillingComplete(billing)], [[field], false])
    }
  }
  assert.equal(isBillingComplete({ ...elsewhere, countryAlpha2: 'IR' }), false, 'not in a country that is not served')
})

test('newer values win, and nothing is invented', () => {
  fc.assert(
    fc.property(anyBilling, anyBilling, (older, newer) => {
      const merged = mergeBilling(older, newer)
      for (const [field] of billingFields) {
        const value = merged[field]
        if (value !== undefined) assert.equal(value, newer[field] ?? older[field], field)
        else if (field !== 'usRegionAlpha2') assert.equal(newer[field], undefined, `${field} is lost`)
      }
    }),
  )
})

test('no part of an address is left in another country', () => {
  fc.assert(
    fc.property(anyBilling, anyBilling, (older, newer) => {
      const merged = mergeBilling(older, newer)
      const hasMoved = older.countryAlpha2 && newer.countryAlpha2 && older.countryAlpha2 !== newer.countryAlpha2
      if (hasMoved) {
        const { region, city, streetAddress, aptNumber, postIndex } = merged
        const address = { region, city, streetAddress, aptNumber, postIndex }
        for (const [field, value] of Object.entries(address)) assert.equal(value, newer[field as BillingField], field)
      }
      assert.ok(merged.usRegionAlpha2 === undefined || merged.countryAlpha2 === 'US')
      assert.equal(merged.firstName, newer.firstName ?? older.firstName, 'a person who moves keeps the name')
    }),
  )
})

test('the same passed twice changes nothing', () => {
  fc.assert(
    fc.property(anyBilling, anyBilling, (older, newer) => {
      const once = mergeBilling(older, newer)
      assert.deepEqual(mergeBilling(once, newer), once)
    }),
  )
})

test('a full name has both its parts', () => {
  assert.equal(fullNameIn(whole), 'Ann Smith')
  assert.equal(fullNameIn({ firstName: 'Ann' }), null)
  assert.equal(fullNameIn(null), null)
})
