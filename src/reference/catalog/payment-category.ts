import { lookupKey } from './lookup-key.ts'

/** A family of ways to pay with the same flow, as partners name it. */
export type Category =
  | 'CRYPTO'
  | 'VISA_MC'
  | 'APPLE_PAY'
  | 'GOOGLE_PAY'
  | 'SEPA'
  | 'SWIFT'
  | 'FASTERPAYMENTS'
  | 'OPEN_BANKING'
  | 'PIX'
  | 'SPEI'
  | 'PSE'
  | 'REVOLUT_PAY'

/**
 * How money moves in a category. `page`: the customer pays on a page of the processor's or bank's own, and it is final at once.
 * `transfer`: the customer sends a bank transfer to our account with a reference. `coin`: coins are sent to an address.
 */
export type Flow = 'page' | 'transfer' | 'coin'

/** A payment category with the name that people read. `id` is what partners store, so it never changes. */
export type PaymentCategory = { id: number; category: Category; name: string; flow: Flow }

/** The twelve categories of the partner API, open or not. The API documents VISA_MC's id; the others are ours. */
export const paymentCategories: readonly PaymentCategory[] = [
  { id: 1, category: 'CRYPTO', name: 'Crypto', flow: 'coin' },
  { id: 2, category: 'SEPA', name: 'SEPA', flow: 'transfer' },
  { id: 3, category: 'SWIFT', name: 'SWIFT', flow: 'transfer' },
  { id: 4, category: 'VISA_MC', name: 'Visa/MasterCard', flow: 'page' },
  { id: 5, category: 'APPLE_PAY', name: 'Apple Pay', flow: 'page' },
  { id: 6, category: 'GOOGLE_PAY', name: 'Google Pay', flow: 'page' },
  { id: 7, category: 'FASTERPAYMENTS', name: 'Faster Payments', flow: 'transfer' },
  { id: 8, category: 'OPEN_BANKING', name: 'Open Banking', flow: 'page' },
  { id: 9, category: 'PIX', name: 'Pix', flow: 'transfer' },
  { id: 10, category: 'SPEI', name: 'SPEI', flow: 'transfer' },
  { id: 11, category: 'PSE', name: 'PSE', flow: 'page' },
  { id: 12, category: 'REVOLUT_PAY', name: 'Revolut Pay', flow: 'page' },
]

const byCategory = new Map<string, PaymentCategory>(paymentCategories.map((row) => [row.category, row]))

/** Finds a category by its code, in any letter case. */
export const findPaymentCategory = (text: string): PaymentCategory | undefined => byCategory.get(lookupKey(text))
