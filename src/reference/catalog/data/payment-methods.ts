import type { Terms } from '../payment-method.ts'
import type { Category } from '../payment-category.ts'

/** What a method is, whatever the currency. Its bounds are in the currency's entry. */
export type MethodEntry = {
  category: Category
  /** null: money can not come in, or go out, by this method at all. No sides: it could, and is closed. */
  deposit: MethodTerms | null
  withdrawal: MethodTerms | null
}

/** `b2bBasisPoints`: the fee of institutions, on methods that are open to them. */
type MethodTerms = Pick<Terms, 'sides' | 'feeBasisPoints'> & { b2bBasisPoints?: number }

/**
 * The payment methods by type, which is the category and a number. Fiat money comes in for a buy and goes out for a
 * sell; coins come in for a sell or a swap and go out for a buy or a swap. What is paid on a page (cards, wallets,
 * banks' pages) takes money one way only: it has no withdrawal.
 *
 * Fees are our price list, not facts of the networks:
 * - Cards, and the wallets that only carry them: 2.50 percent covers what cards cost a merchant in this trade
 *   (interchange is capped at 0.2 and 0.3 percent inside the EEA by Regulation (EU) 2015/751; scheme fees, acquirer,
 *   cross-border surcharge and chargebacks make the rest). Revolut Pay 1.00: the provider's percentage, without
 *   chargebacks of a card scheme.
 * - Open banking 0.50 and PSE 1.50: the provider's price a payment, as a percentage. There is nothing to charge back.
 * - Pix 0.50 in and 0.20 out, SPEI 0.20: what a bank asks a company for each payment, as a percentage.
 * - SEPA and Faster Payments free: cents a payment (Regulation (EU) 2024/886 makes instant ones cost no more).
 * - SWIFT free in, since the sender's bank charges the sender, and 0.50 out for the charges of the banks on the way.
 * - Coins free: they cost their network fee, which is charged by itself.
 *
 * Institutions (`b2b`) pay in and are paid by transfers and coins only: what is paid on a page can be charged back, and is a
 * person's. They pay what the banks charge us for large amounts: Pix 0.10, SPEI 0.05, SWIFT out 0.10, the others nothing. A
 * method's least amount holds for them too, its greatest does not: that is a bound for persons.
 */
export const methodEntries = {
  VISA_MC_1: {
    category: 'VISA_MC',
    deposit: { sides: ['buy'], feeBasisPoints: 250 },
    withdrawal: null,
  },
  APPLE_PAY_1: {
    category: 'APPLE_PAY',
    deposit: { sides: ['buy'], feeBasisPoints: 250 },
    withdrawal: null,
  },
  GOOGLE_PAY_1: {
    category: 'GOOGLE_PAY',
    deposit: { sides: ['buy'], feeBasisPoints: 250 },
    withdrawal: null,
  },
  REVOLUT_PAY_1: {
    category: 'REVOLUT_PAY',
    deposit: { sides: ['buy'], feeBasisPoints: 100 },
    withdrawal: null,
  },
  OPEN_BANKING_1: {
    category: 'OPEN_BANKING',
    deposit: { sides: ['buy'], feeBasisPoints: 50 },
    withdrawal: null,
  },
  PSE_1: {
    category: 'PSE',
    deposit: { sides: ['buy'], feeBasisPoints: 150 },
    withdrawal: null,
  },
  SEPA_1: {
    category: 'SEPA',
    deposit: { sides: ['buy', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
    withdrawal: { sides: ['sell', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
  },
  FASTERPAYMENTS_1: {
    category: 'FASTERPAYMENTS',
    deposit: { sides: ['buy', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
    withdrawal: { sides: ['sell', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
  },
  PIX_1: {
    category: 'PIX',
    deposit: { sides: ['buy', 'b2b'], feeBasisPoints: 50, b2bBasisPoints: 10 },
    withdrawal: { sides: ['sell', 'b2b'], feeBasisPoints: 20, b2bBasisPoints: 10 },
  },
  SPEI_1: {
    category: 'SPEI',
    deposit: { sides: ['buy', 'b2b'], feeBasisPoints: 20, b2bBasisPoints: 5 },
    withdrawal: { sides: ['sell', 'b2b'], feeBasisPoints: 20, b2bBasisPoints: 5 },
  },
  SWIFT_1: {
    category: 'SWIFT',
    deposit: { sides: ['buy', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
    withdrawal: { sides: ['sell', 'b2b'], feeBasisPoints: 50, b2bBasisPoints: 10 },
  },
  CRYPTO_1: {
    category: 'CRYPTO',
    deposit: { sides: ['sell', 'swap', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
    withdrawal: { sides: ['buy', 'swap', 'b2b'], feeBasisPoints: 0, b2bBasisPoints: 0 },
  },
} as const satisfies Record<string, MethodEntry>

/** The types that a fiat currency may list. Coins all move by `CRYPTO_1`. */
export type FiatMethod = Exclude<keyof typeof methodEntries, 'CRYPTO_1'>
