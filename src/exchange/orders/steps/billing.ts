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
import type { Personal } from '../../transactions/transaction.ts'
import { boundIn } from '../giver.ts'
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
    const { email, billing: known, passed, corrected = [] } = personal
    const lines = trimmed(typed)
    const whole = validateBilling(ctx, mergeBilling(maskedIn(personal), lines))
    const own: Billing = Object.fromEntries(Object.entries(whole).filter(([field]) => Object.hasOwn(lines, field)))
    if (customerId !== null && email !== null) await saveOwnBilling(ctx, db, { customerId, email, billing: own })
    const billing = mergeBilling(known ?? {}, whole)
    if (passed === undefined) return { personal: { ...personal, billing } }
    const given = Object.keys(own) as BillingField[]
    return { personal: { ...personal, billing, corrected: [...new Set([...corrected, ...given])] } }
  },
} as const satisfies OrderStep<BillingDetails>

/** What a form shows masked: a field that is left empty keeps it. */
const maskedIn = ({ billing, passed, corrected }: Personal): Billing =>
  Object.fromEntries(
    boundIn({ passed, corrected }).billing.flatMap((field) => {
      const text = billing?.[field]
      return text === undefined ? [] : [[field, text]]
    }),
  )

/**
 * Validates what a customer typed: every required field, in the right format, in a country that we serve. Drops a US
 * region if the country is another one. Refuses with every invalid field at once.
 */
function validateBilling({ clock, policies }: Pick<Ctx, 'clock' | 'policies'>, typed: Billing): Billing {
  const today = clock.now()
  const given = mergeBilling({}, typed)
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

  if (!isServed({ policies }, given.countryAlpha2, today)) {
    const message = 'We do not serve customers in this country.'
    throw new Refusal('COUNTRY_NOT_SUPPORTED', message, [
      { path: 'country_alpha_2', code: 'COUNTRY_NOT_SUPPORTED', message },
    ])
  }
  return given
}

const isServed = ({ policies }: Pick<Ctx, 'policies'>, code: string | undefined, now: Date): boolean => {
  const country = findCountry(code ?? '')
  return country !== undefined && !policies.at(now, 'countries').rules.blocked.has(country.alpha2)
}

/** The passed billing information that the checkout would accept; the rest has to be asked for. */
export function usableBilling({ clock, policies }: Pick<Ctx, 'clock' | 'policies'>, passed: Billing): Billing {
  const now = clock.now()
  const lines = trimmed(passed)
  if (lines.countryAlpha2 !== undefined && !isServed({ policies }, lines.countryAlpha2, now)) return {}
  const fields = billingFields.map(([field]) => field)
  return Object.fromEntries(
    fields.flatMap((field) => {
      const text = lines[field]
      return text === undefined || text.length > longest || billingComplaint(field, text, now) ? [] : [[field, text]]
    }),
  )
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
