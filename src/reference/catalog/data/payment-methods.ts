import type { Terms } from '../payment-method.ts'
import type { Category } from '../payment-category.ts'

/** What a method is, whatever the currency. Its bounds are in the currency's entry. */
export type MethodEntry = {
  category: Category
  /** null: money can not come in, or go out, by this method at all. No sides: it could, and is closed. */
  deposit: MethodTerms | null
  withdrawal: MethodTerms | null
}

type MethodTerms = Pick<Terms, 'sides'>

/**
 * The payment methods by type, which is the category and a number. Fiat money comes in for a buy and goes out for a
 * sell; coins come in for a sell or a swap and go out for a buy or a swap. What is paid on a page (cards, wallets,
 * banks' pages) takes money one way only: it has no withdrawal.
 *
 * Institutions (`b2b`) pay in and are paid by transfers and coins only: what is paid on a page can be charged back, and is a
 * person's. A method's least amount holds for them too, its greatest does not: that is a bound for persons.
 */
export const methodEntries = {
  VISA_MC_1: {
    category: 'VISA_MC',
    deposit: { sides: ['buy'] },
    withdrawal: null,
  },
  APPLE_PAY_1: {
    category: 'APPLE_PAY',
    deposit: { sides: ['buy'] },
    withdrawal: null,
  },
  GOOGLE_PAY_1: {
    category: 'GOOGLE_PAY',
    deposit: { sides: ['buy'] },
    withdrawal: null,
  },
  REVOLUT_PAY_1: {
    category: 'REVOLUT_PAY',
    deposit: { sides: ['buy'] },
    withdrawal: null,
  },
  OPEN_BANKING_1: {
    category: 'OPEN_BANKING',
    deposit: { sides: ['buy'] },
    withdrawal: null,
  },
  PSE_1: {
    category: 'PSE',
    deposit: { sides: ['buy'] },
    withdrawal: null,
  },
  SEPA_1: {
    category: 'SEPA',
    deposit: { sides: ['buy', 'b2b'] },
    withdrawal: { sides: ['sell', 'b2b'] },
  },
  FASTERPAYMENTS_1: {
    category: 'FASTERPAYMENTS',
    deposit: { sides: ['buy', 'b2b'] },
    withdrawal: { sides: ['sell', 'b2b'] },
  },
  PIX_1: {
    category: 'PIX',
    deposit: { sides: ['buy', 'b2b'] },
    withdrawal: { sides: ['sell', 'b2b'] },
  },
  SPEI_1: {
    category: 'SPEI',
    deposit: { sides: ['buy', 'b2b'] },
    withdrawal: { sides: ['sell', 'b2b'] },
  },
  SWIFT_1: {
    category: 'SWIFT',
    deposit: { sides: ['buy', 'b2b'] },
    withdrawal: { sides: ['sell', 'b2b'] },
  },
  CRYPTO_1: {
    category: 'CRYPTO',
    deposit: { sides: ['sell', 'swap', 'b2b'] },
    withdrawal: { sides: ['buy', 'swap', 'b2b'] },
  },
} as const satisfies Record<string, MethodEntry>

/** The types that a fiat currency may list. Coins all move by `CRYPTO_1`. */
export type FiatMethod = Exclude<keyof typeof methodEntries, 'CRYPTO_1'>
