import { findCountry } from '../../reference/catalog/country.ts'
import type { Ctx } from '../context.ts'
import { readKeptBilling } from '../customers/billing.ts'
import {
  type Billing,
  type BillingField,
  billingComplaint,
  billingFields,
  fullNameIn,
  mergeBilling,
  missingBilling,
  spelled,
} from '../customers/billing-field.ts'
import { isSameEmail } from '../customers/email.ts'
import type { Db } from '../../platform/db/sql.ts'
import { type Problem, Refusal } from '../../platform/lib/refusal.ts'
import type { Partner } from '../partners/partner.ts'
import { holderIn } from '../transactions/payout-destination.ts'
import type { Personal, Transaction } from '../transactions/transaction.ts'

/** Whose checkout is to be filled: the address has just been proven to be this customer's. */
export type Proof = { email: string; customerId: bigint; partnerCustomerId: bigint | null }

/**
 * Fills a transaction's billing information once its e-mail address is proven: by what its partner passed of that address, now
 * or before; and over that by the customer's own, which stays as it is. What was passed of another address is another person's
 * and goes: then everything is asked. Where the partner passed nothing, and its feature is off, nothing is read.
 */
export async function filledBilling(
  ctx: Pick<Ctx, 'keyring'>,
  db: Db,
  { personal, to }: Pick<Transaction, 'personal' | 'to'>,
  partner: Partner,
  { email, customerId, partnerCustomerId }: Proof,
): Promise<Personal> {
  if (personal.billing === null && !partner.settings.features.billing_info) return personal

  const { billing: passed, billingEmail, ...rest } = personal
  const isForeign = billingEmail !== undefined && !isSameEmail(billingEmail, email)
  const kept = await readKeptBilling(ctx, db, { partnerCustomerId, customerId })
  const known = mergeBilling(kept.passed, isForeign ? {} : (passed ?? {}))
  if (passed === null && Object.keys(known).length === 0) return personal

  const billing = mergeBilling(known, kept.own)
  // A holder's name that came out of somebody else's billing information is somebody else's too.
  const holder = isForeign && personal.payoutHolder === fullNameIn(passed) ? null : personal.payoutHolder
  const payoutHolder = to.network.chain ? null : (holder ?? holderIn(billing))
  return { ...rest, billing, payoutHolder, ...(isForeign ? {} : { billingEmail: email }) }
}

/**
 * What a customer has typed, trimmed and judged: every required field, each in its form, in a country that we serve. A US
 * region that was left in the form for another country is dropped. Refuses with every field at fault.
 */
export function judgedBilling(typed: Billing, today: Date): Billing {
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
  if (country?.supported !== true) {
    const message = 'We do not serve customers in this country.'
    throw new Refusal('COUNTRY_NOT_SUPPORTED', message, [
      { path: 'country_alpha_2', code: 'COUNTRY_NOT_SUPPORTED', message },
    ])
  }
  return given
}

/** The same bound as for what partners pass. */
const longest = 255
const tooLong = { code: 'TOO_LONG', message: `This has more than ${longest} characters.` }

const codes: Partial<Record<BillingField, string>> = {
  dateOfBirthday: 'BIRTHDAY_ILL_FORMED',
}

/** Each has a text of its own, so that a page can say what it wants. */
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

/** Control characters are no text of a form field of one line; they go, like the blanks around it. */
function trimmed(typed: Billing): Billing {
  const lines: Billing = {}
  for (const [field] of billingFields) {
    const line = typed[field]?.replace(/[\p{Cc}\p{Cs}\u2028\u2029\ufeff]+/gu, ' ').trim()
    if (line) lines[field] = spelled(field, line)
  }
  return lines
}
