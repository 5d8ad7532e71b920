import { type Billing, billingComplaint, billingFields, spelled } from '../../exchange/customers/billing-field.ts'
import type { FieldReader, Fields } from './fields.ts'

/**
 * Reads `customer.billing_info` as far as it was passed: any part of it is fine. `today` is business time,
 * for the age. Undefined when nothing was passed.
 */
export function readBilling(read: FieldReader, given: Fields, today: Date): Billing | undefined {
  const at = (name: string) => `customer.billing_info.${name}`
  const billing: Billing = {}
  for (const [field, name] of billingFields) {
    const text = read.text(at(name), given[name], {
      isNumberRead: field === 'postIndex',
      check: (passed) => billingComplaint(field, passed, today),
    })
    if (text !== undefined) billing[field] = spelled(field, text)
  }
  if (billing.usRegionAlpha2 !== undefined && billing.countryAlpha2 !== 'US') {
    read.tell(at('us_region_alpha_2'), 'This goes with the country US only.')
  }
  return Object.keys(billing).length > 0 ? billing : undefined
}
