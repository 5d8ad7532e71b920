import assert from 'node:assert/strict'
import { test } from 'node:test'

import { makeReference } from './creditor-reference.ts'
import { epcQrText } from './epc-qr.ts'
import type { EpcTransfer } from './epc-qr.ts'
import { accountFor } from '../../rails/bank-accounts.ts'
import { sandboxAccounts } from '../../sandbox/bank/our-accounts.ts'

/** The example with a structured reference of the guidelines EPC069-12. */
const example: EpcTransfer = {
  holder: 'Franz Mustermänn',
  iban: 'DE71110220330123456789',
  bic: 'BHBLDEHHXXX',
  amount: 1230n,
  purpose: 'GDDS',
  reference: 'RF18539007547034',
}

test('the example of the guidelines is written line by line, but for its older version number', () => {
  assert.equal(
    epcQrText(example),
    'BCD\n002\n1\nSCT\nBHBLDEHHXXX\nFranz Mustermänn\nDE71110220330123456789\nEUR12.3\nGDDS\nRF18539007547034',
  )
})

test('what is not there leaves its line empty', () => {
  const { purpose: _, ...plain } = example
  assert.deepEqual(
    epcQrText({ ...plain, bic: '' })
      .split('\n')
      .slice(4, 9),
    ['', 'Franz Mustermänn', 'DE71110220330123456789', 'EUR12.3', ''],
  )
})

test('our own account and reference can be written, for the least and the greatest amount', () => {
  const account = accountFor(sandboxAccounts, 'SEPA', 'EUR')
  assert(account)
  const reference = makeReference(new Uint8Array(16))
  for (const [amount, written] of [
    [1n, 'EUR0.01'],
    [100n, 'EUR1'],
    [99999999999n, 'EUR999999999.99'],
  ] as const) {
    assert.equal(epcQrText({ ...account, iban: account.account, amount, reference }).split('\n')[7], written)
  }
})

test('what can not be a SEPA transfer is never written', () => {
  const wrong: Partial<EpcTransfer>[] = [
    { amount: 0n },
    { amount: -1n },
    { amount: 100000000000n },
    { holder: '' },
    { holder: 'A'.repeat(71) },
    { holder: 'A\nB' },
    { iban: 'DE71110220330123456788' },
    { iban: 'DE71 1102 2033 0123 4567 89' },
    { bic: 'BHBL' },
    { reference: 'RF17539007547034' },
    { reference: '' },
    { purpose: 'GOODS' },
    { holder: '𝔄'.repeat(70) },
  ]
  for (const one of wrong) assert.throws(() => epcQrText({ ...example, ...one }), { name: 'AssertionError' })
})
