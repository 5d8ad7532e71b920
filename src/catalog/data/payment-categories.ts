import type { PaymentCategory } from '../payment-method.ts'

/**
 * All twelve categories of the partner interface. Ids are ours, but VISA_MC's, which the interface shows; they never
 * change.
 */
export const paymentCategoryEntries: readonly PaymentCategory[] = [
  { id: 1, category: 'CRYPTO', name: 'Crypto' },
  { id: 2, category: 'SEPA', name: 'SEPA' },
  { id: 3, category: 'SWIFT', name: 'SWIFT' },
  { id: 4, category: 'VISA_MC', name: 'Visa/MasterCard' },
  { id: 5, category: 'APPLE_PAY', name: 'Apple Pay' },
  { id: 6, category: 'GOOGLE_PAY', name: 'Google Pay' },
  { id: 7, category: 'FASTERPAYMENTS', name: 'Faster Payments' },
  { id: 8, category: 'OPEN_BANKING', name: 'Open Banking' },
  { id: 9, category: 'PIX', name: 'Pix' },
  { id: 10, category: 'SPEI', name: 'SPEI' },
  { id: 11, category: 'PSE', name: 'PSE' },
  { id: 12, category: 'REVOLUT_PAY', name: 'Revolut Pay' },
]
