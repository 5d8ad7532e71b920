import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { type AccountForm, checkAccount } from './account.ts'
import { exampleAccount } from './example-account.ts'

test('every example account is one that money can be sent to, in canonical spelling, the same for the same seed', () => {
  const forms: AccountForm[] = ['iban', 'uk', 'swift', 'pix', 'clabe']
  fc.assert(
    fc.property(fc.constantFrom(...forms), fc.uint8Array({ minLength: 32, maxLength: 32 }), (form, seed) => {
      const example = exampleAccount(form, seed)
      const check = checkAccount(form, example)
      assert(check.ok, `${form} ${example.account}`)
      assert.deepEqual([check.canonical, check.bic], [example.account, example.bic])
      assert.match(example.holder, /^\w+ Example$/)
      assert.deepEqual(exampleAccount(form, seed), example)
    }),
    { numRuns: 1000 },
  )
})
