import type { Billing } from './billing-field.ts'

/** What is kept, sealed, of an e-mail address: of a customer, or of what one partner passed. */
export type Person = { email: string; billing?: Billing }

/** Where a customer's own data belongs; sealed bytes open nowhere else. */
export const customerPlace = (id: bigint): string => `customers:${id}`

/** Where what a partner passed of an address belongs. */
export const partnerCustomerPlace = (id: bigint): string => `partner_customers:${id}`
