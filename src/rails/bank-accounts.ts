import { findCurrency } from '../reference/catalog/currency.ts'
import type { Category } from '../reference/catalog/payment-category.ts'

/** An account of the operator's where customers pay in. */
export type BankAccount = {
  category: Category
  /** The ticker of the currency that it takes, or `any` for every fiat currency. */
  currency: string
  holder: string
  /** In canonical form; `printAccount` writes it for people. */
  account: string
  /** Empty where the category needs none. */
  bic: string
  bank: string
}

/** The account for a payment category and a currency, as customers see it. */
export function accountFor(
  accounts: readonly BankAccount[],
  category: string,
  currency: string,
): Pick<BankAccount, 'holder' | 'account' | 'bic' | 'bank'> | undefined {
  const isFiat = findCurrency(currency)?.kind === 'FIAT'
  const found = accounts.find(
    (one) => one.category === category && (one.currency === currency || (one.currency === 'any' && isFiat)),
  )
  return found && { holder: found.holder, account: found.account, bic: found.bic, bank: found.bank }
}
