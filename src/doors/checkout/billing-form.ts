import { type Billing, billingFields, noApartment } from '../../exchange/customers/billing-field.ts'

/** The box that says that there is no apartment number. */
export const noApartmentBox = 'no_apartment'

/** Reads billing information from what a form sent, as it was typed: what of it is missing or wrong is judged further down. */
export function readBillingForm(typed: Record<string, string>): Billing {
  const given = billingFields.map(([field, name]) => [field, typed[name] ?? ''] as const)
  const billing: Billing = Object.fromEntries(given.filter(([, text]) => text.trim() !== ''))
  // A number that was typed says more than a box that was left ticked.
  if (typed[noApartmentBox] === 'yes') billing.aptNumber ??= noApartment
  return billing
}
