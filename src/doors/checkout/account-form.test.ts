import assert from 'node:assert/strict'
import { test } from 'node:test'

import { Refusal } from '../../platform/lib/refusal.ts'
import { readAccount } from './account-form.ts'

const holder = { payout_holder: '  Jan   Jansen ' }

test('an account is read as its form writes it', () => {
  const iban = readAccount('SEPA', { payout_address: ' NL91 ABNA 0417 1643 00\n', ...holder })
  assert.deepEqual(iban, { payoutAddress: 'NL91 ABNA 0417 1643 00', extraId: '', payoutHolder: 'Jan Jansen' })
  const swift = readAccount('SWIFT', { payout_address: '12345678', extra_id: ' SBBKUS30XXX ', ...holder })
  assert.equal(swift.extraId, 'SBBKUS30XXX')
})

test('a sort code precedes its account, once', () => {
  const read = (payout_address: string, sort_code = '20-00-00'): string =>
    readAccount('FASTERPAYMENTS', { payout_address, sort_code, ...holder }).payoutAddress
  assert.equal(read('55779911'), '20-00-0055779911')
  assert.equal(read('20000055779911'), '20000055779911')
  assert.equal(read('GB29 NWBK 6016 1331 9268 19', ''), 'GB29 NWBK 6016 1331 9268 19')
})

test('whatever is empty is refused at its field at once, before anybody judges the rest', () => {
  const refusedAt = (payout: 'SEPA' | 'FASTERPAYMENTS', typed: Record<string, string>): string[] => {
    try {
      readAccount(payout, typed)
    } catch (error) {
      if (error instanceof Refusal) return error.problems.map(({ path }) => path)
      throw error
    }
    return []
  }
  assert.deepEqual(refusedAt('SEPA', {}), ['payout_holder', 'payout_address'])
  assert.deepEqual(refusedAt('FASTERPAYMENTS', {}), ['payout_holder', 'sort_code', 'payout_address'])
  assert.deepEqual(refusedAt('SEPA', { payout_address: 'x', payout_holder: '  ' }), ['payout_holder'])
  assert.deepEqual(refusedAt('FASTERPAYMENTS', { payout_address: '55779911', ...holder }), ['sort_code'])
  assert.deepEqual(refusedAt('SEPA', { payout_address: 'x', ...holder }), [])
})
