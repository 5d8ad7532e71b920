import type { Category, Terms } from '../payment-method.ts'

/** What a method is, whatever the currency. Its bounds are in the currency's entry. */
export type MethodEntry = {
  category: Category
  /** null: money can not come in, or go out, by this method at all. No sides: it could, and is closed. */
  deposit: Pick<Terms, 'sides' | 'feeBasisPoints'> | null
  withdrawal: Pick<Terms, 'sides' | 'feeBasisPoints'> | null
}

/**
 * The payment methods by type, which is the category and a number. Only the first road is open: a buy, paid by card,
 * paid out in coins. The bank methods are here with their terms and no sides.
 *
 * Fees are our price list, not facts of the networks. The card's 2.50 percent covers what cards cost a merchant in
 * this trade (interchange is capped at 0.2 and 0.3 percent inside the EEA by Regulation (EU) 2015/751; scheme fees,
 * acquirer, cross-border surcharge and chargebacks make the rest). Coins cost their network fee, which is charged by
 * itself.
 */
export const methodEntries = {
  VISA_MC_1: {
    category: 'VISA_MC',
    deposit: { sides: ['buy'], feeBasisPoints: 250 },
    withdrawal: null,
  },
  SEPA_1: {
    category: 'SEPA',
    deposit: { sides: [], feeBasisPoints: 0 },
    withdrawal: { sides: [], feeBasisPoints: 0 },
  },
  FASTERPAYMENTS_1: {
    category: 'FASTERPAYMENTS',
    deposit: { sides: [], feeBasisPoints: 0 },
    withdrawal: { sides: [], feeBasisPoints: 0 },
  },
  SWIFT_1: {
    category: 'SWIFT',
    deposit: { sides: [], feeBasisPoints: 0 },
    withdrawal: { sides: [], feeBasisPoints: 50 },
  },
  CRYPTO_1: {
    category: 'CRYPTO',
    deposit: { sides: [], feeBasisPoints: 0 },
    withdrawal: { sides: ['buy'], feeBasisPoints: 0 },
  },
} as const satisfies Record<string, MethodEntry>

/** The types that a fiat currency may list. Coins all move by `CRYPTO_1`. */
export type FiatMethod = Exclude<keyof typeof methodEntries, 'CRYPTO_1'>
