import { type Billing, billingFields, noApartment } from '../../exchange/customers/billing-field.ts'

/** The checkbox for an address without an apartment number. */
export const noApartmentBox = 'no_apartment'

/** Reads billing information from a form as it was typed; it is validated with the order. */
export function readBillingForm(typed: Record<string, string>): Billing {
  const given = billingFields.map(([field, name]) => [field, typed[name] ?? ''] as const)
  const billing: Billing = Object.fromEntries(given.filter(([, text]) => text.trim() !== ''))
  // A typed number wins over a checked box.
  if (typed[noApartmentBox] === 'yes') billing.aptNumber ??= noApartment
  return billing
}
