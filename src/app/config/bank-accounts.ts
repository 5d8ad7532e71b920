import { readFileSync } from 'node:fs'

import type { BankAccount } from '../../rails/bank-accounts.ts'
import { accountFormOf, checkAccount } from '../../reference/bank/account.ts'
import { findCurrency } from '../../reference/catalog/currency.ts'
import { findPaymentCategory } from '../../reference/catalog/payment-category.ts'
import { optional } from '../../platform/lib/setting.ts'

export const bankSettings = {
  accounts: optional(
    'BANK_ACCOUNTS_FILE',
    '',
    readAccounts,
    'A JSON file with your accounts for incoming bank transfers: a list of objects with `category` (SEPA), `currency` (EUR, or any), `holder`, `account`, `bic` and `bank`. By default the accounts of the sandbox.',
  ),
}

/** Reads and checks the whole file at the start, so that customers never see an account with a wrong check digit. */
function readAccounts(file: string): BankAccount[] {
  let list: unknown
  try {
    list = JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    throw new RangeError(`${file} cannot be read as JSON`)
  }
  if (!Array.isArray(list) || list.length === 0) throw new RangeError(`${file} does not contain a list of accounts`)
  return list.map((entry, index) => readAccount(entry as unknown, `${file}, account ${index + 1}`))
}

function readAccount(entry: unknown, place: string): BankAccount {
  const fields = typeof entry === 'object' && entry !== null ? (entry as Record<string, unknown>) : {}
  const text = (name: string): string => {
    const value = fields[name] ?? ''
    if (typeof value !== 'string' || value.length > 140) throw new RangeError(`${place}: ${name} is not a short text`)
    return value.trim()
  }
  const [holder, bank, currency] = [text('holder'), text('bank'), text('currency')]
  const category = findPaymentCategory(text('category'))?.category
  const form = category && accountFormOf(category)
  if (!category || !form) throw new RangeError(`${place}: category is not one of bank transfers`)
  if (currency !== 'any' && findCurrency(currency)?.kind !== 'FIAT')
    throw new RangeError(`${place}: currency is neither a fiat currency nor any`)
  if (holder === '' || bank === '') throw new RangeError(`${place}: holder and bank are required`)
  const check = checkAccount(form, { account: text('account'), bic: text('bic') })
  if (!check.ok) throw new RangeError(`${place}: ${check.field}: ${check.reason}`)
  return { category, currency, holder, account: check.canonical, bic: check.bic, bank }
}
