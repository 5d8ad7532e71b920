import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { fiatCurrencies } from '../catalog/currency.ts'
import { findPaymentCategory } from '../catalog/payment-category.ts'
import { accountFormOf, checkAccount } from './account.ts'
import type { AccountForm } from './account.ts'
import { exampleAccount } from './example-account.ts'
import { ourAccount } from './our-accounts.ts'

test('every bank transfer that the catalog takes has an account of ours to go to, one that money can be sent to', () => {
  const transfers = fiatCurrencies.flatMap(({ ticker, paymentMethods }) =>
    paymentMethods
      .filter(({ category, deposit }) => deposit && findPaymentCategory(category)?.flow === 'transfer')
      .map(({ category }) => ({ ticker, category })),
  )
  assert(transfers.length > 0)
  for (const { ticker, category } of transfers) {
    const account = ourAccount(category, ticker)
    const form = accountFormOf(category)
    assert(account && form, `${ticker} ${category}`)
    const check = checkAccount(form, account)
    assert(check.ok && check.canonical === account.account && check.bic === account.bic, `${ticker} ${category}`)
  }
})

test('a category takes only the money it is for', () => {
  assert.equal(ourAccount('SEPA', 'USD'), undefined)
  assert.equal(ourAccount('FASTERPAYMENTS', 'EUR'), undefined)
  assert.equal(ourAccount('SWIFT', 'BTC'), undefined)
  assert.equal(ourAccount('SWIFT', 'XXX'), undefined)
  assert.equal(ourAccount('VISA_MC', 'EUR'), undefined)
  for (const [category, currency] of [
    ['PIX', 'BRL'],
    ['SPEI', 'MXN'],
  ] as const) {
    const account = ourAccount(category, currency)
    const form = accountFormOf(category)
    assert(account && form && checkAccount(form, account).ok)
  }
})

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
