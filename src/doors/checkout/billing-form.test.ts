import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readBillingForm } from './billing-form.ts'

test('what was typed is read, and what is empty is absent', () => {
  const typed = { do: 'billing', first_name: 'Ann', last_name: ' ', city: '', post_index: '1016 XY', note: 'x' }
  assert.deepEqual(readBillingForm(typed), { firstName: 'Ann', postIndex: '1016 XY' })
  assert.deepEqual(readBillingForm({}), {})
})

test('no apartment number is stored as a dash, unless a number was typed', () => {
  assert.deepEqual(readBillingForm({ no_apartment: 'yes' }), { aptNumber: '-' })
  assert.deepEqual(readBillingForm({ no_apartment: 'yes', apt_number: '' }), { aptNumber: '-' })
  assert.deepEqual(readBillingForm({ no_apartment: 'yes', apt_number: '4b' }), { aptNumber: '4b' })
  assert.deepEqual(readBillingForm({ no_apartment: 'no' }), {})
})
