import assert from 'node:assert/strict'
import { test } from 'node:test'

import { fiatCurrencies } from '../../reference/catalog/currency.ts'
import { findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import { accountFormOf, checkAccount } from '../../reference/bank/account.ts'
import { accountFor } from '../../rails/bank-accounts.ts'
import { sandboxAccounts } from './our-accounts.ts'

test('every bank transfer that the catalog takes has an account of ours to go to, one that money can be sent to', () => {
  const transfers = fiatCurrencies.flatMap(({ ticker, paymentMethods }) =>
    paymentMethods
      .filter(({ category, deposit }) => deposit && findPaymentCategory(category)?.flow === 'transfer')
      .map(({ category }) => ({ ticker, category })),
  )
  assert(transfers.length > 0)
  for (const { ticker, category } of transfers) {
    const account = accountFor(sandboxAccounts, category, ticker)
    const form = accountFormOf(category)
    assert(account && form, `${ticker} ${category}`)
    const check = checkAccount(form, account)
    assert(check.ok && check.canonical === account.account && check.bic === account.bic, `${ticker} ${category}`)
  }
})

test('a category takes only the money it is for', () => {
  assert.equal(accountFor(sandboxAccounts, 'SEPA', 'USD'), undefined)
  assert.equal(accountFor(sandboxAccounts, 'FASTERPAYMENTS', 'EUR'), undefined)
  assert.equal(accountFor(sandboxAccounts, 'SWIFT', 'BTC'), undefined)
  assert.equal(accountFor(sandboxAccounts, 'SWIFT', 'XXX'), undefined)
  assert.equal(accountFor(sandboxAccounts, 'VISA_MC', 'EUR'), undefined)
  for (const [category, currency] of [
    ['PIX', 'BRL'],
    ['SPEI', 'MXN'],
  ] as const) {
    const account = accountFor(sandboxAccounts, category, currency)
    const form = accountFormOf(category)
    assert(account && form && checkAccount(form, account).ok)
  }
})
