import type { Ctx } from '../../context.ts'
import { type Problem, Refusal } from '../../../platform/lib/refusal.ts'
import { findCountry } from '../../../reference/catalog/country.ts'
import { saveOwnBilling } from '../../customers/billing.ts'
import {
  type Billing,
  type BillingField,
  billingComplaint,
  billingFields,
  isBillingComplete,
  mergeBilling,
  missingBilling,
  spelled,
} from '../../customers/billing-field.ts'
import type { OrderStep } from '../step.ts'

type BillingDetails = {
  /** All of it, as the customer typed or confirmed it. */
  billing?: Billing
}

/** Who pays. What the customer typed is kept for this order and later ones. */
export const billing = {
  name: 'billing',
  details: ['billing'],
  changeable: 'until_paid',
  isMissing: (_ctx, { personal }) => personal.billing !== null && !isBillingComplete(personal.billing),
  async apply({ ctx, db, transaction: { personal, customerId } }, { billing: typed = {} }) {
    const own = validateBilling(ctx, typed)
    const { email } = personal
    if (customerId !== null && email !== null) await saveOwnBilling(ctx, db, { customerId, email, billing: own })
    return { personal: { ...personal, billing: mergeBilling(personal.billing ?? {}, own) } }
  },
} as const satisfies OrderStep<BillingDetails>

/**
 * Trims and validates what a customer typed: every required field, in the right format, in a country that we serve. Drops a US
 * region if the country is another one. Refuses with every invalid field at once.
 */
function validateBilling({ clock, policies }: Pick<Ctx, 'clock' | 'policies'>, typed: Billing): Billing {
  const today = clock.now()
  const given = mergeBilling({}, trimmed(typed))
  const problems: Problem[] = []
  const missing = missingBilling(given)
  for (const [field, path] of billingFields) {
    const text = given[field]
    const complaint = text === undefined ? undefined : billingComplaint(field, text, today)
    if (missing.includes(field))
      problems.push({ path, code: missingCodes[field] ?? 'REQUIRED', message: 'This is required.' })
    else if (complaint !== undefined) problems.push({ path, code: codes[field] ?? 'INVALID_VALUE', message: complaint })
    else if (text !== undefined && text.length > longest) problems.push({ path, ...tooLong })
  }
  const [first] = problems
  if (first) throw new Refusal('BAD_REQUEST', first.message, problems)

  const country = findCountry(given.countryAlpha2 ?? '')
  if (!country || policies.at(today, 'countries').rules.blocked.has(country.alpha2)) {
    const message = 'We do not serve customers in this country.'
    throw new Refusal('COUNTRY_NOT_SUPPORTED', message, [
      { path: 'country_alpha_2', code: 'COUNTRY_NOT_SUPPORTED', message },
    ])
  }
  return given
}

/** The same limit as for what partners pass. */
const longest = 255
const tooLong = { code: 'TOO_LONG', message: `This is longer than ${longest} characters.` }

const codes: Partial<Record<BillingField, string>> = {
  dateOfBirthday: 'BIRTHDAY_ILL_FORMED',
}

/** Pages have a text for each. */
const missingCodes: Partial<Record<BillingField, string>> = {
  countryAlpha2: 'BILLING_COUNTRY_MISSING',
  region: 'REGION_MISSING',
  city: 'CITY_MISSING',
  streetAddress: 'STREET_MISSING',
  aptNumber: 'APARTMENT_MISSING',
  postIndex: 'POST_INDEX_MISSING',
  firstName: 'FIRST_NAME_MISSING',
  lastName: 'LAST_NAME_MISSING',
}

/** Control characters are removed like surrounding white space: these are fields of one line. */
function trimmed(typed: Billing): Billing {
  const lines: Billing = {}
  for (const [field] of billingFields) {
    const line = typed[field]?.replace(/[\p{Cc}\p{Cs}\u2028\u2029\ufeff]+/gu, ' ').trim()
    if (line) lines[field] = spelled(field, line)
  }
  return lines
}
