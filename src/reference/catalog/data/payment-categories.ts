import type { PaymentCategory } from '../payment-method.ts'

/**
 * All twelve categories of the partner interface. Ids are ours, but VISA_MC's, which the interface shows; they never
 * change.
 */
export const paymentCategoryEntries: readonly PaymentCategory[] = [
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
