import { findCountry } from '../../reference/catalog/country.ts'

/** One field of billing information under our name; `wireName` gives the interface's. */
export type BillingField =
  | 'countryAlpha2'
  | 'usRegionAlpha2'
  | 'region'
  | 'city'
  | 'streetAddress'
  | 'aptNumber'
  | 'postIndex'
  | 'firstName'
  | 'lastName'
  | 'dateOfBirthday'
  | 'gender'

/** Billing information as far as it is known. Codes are in upper case; a house without apartments has `-` for its number. */
export type Billing = Partial<Record<BillingField, string>>

/** Every field with its name on the wire and in forms, in the order of the contract. */
export const billingFields: readonly (readonly [field: BillingField, wireName: string])[] = [
  ['countryAlpha2', 'country_alpha_2'],
  ['usRegionAlpha2', 'us_region_alpha_2'],
  ['region', 'region'],
  ['city', 'city'],
  ['streetAddress', 'street_address'],
  ['aptNumber', 'apt_number'],
  ['postIndex', 'post_index'],
  ['firstName', 'first_name'],
  ['lastName', 'last_name'],
  ['dateOfBirthday', 'date_of_birthday'],
  ['gender', 'gender'],
]

/** What must be known before payment where billing information is asked for: the contract's required fields. */
const requiredBilling: readonly BillingField[] = [
  'countryAlpha2',
  'region',
  'city',
  'streetAddress',
  'aptNumber',
  'postIndex',
  'firstName',
  'lastName',
]

/** What is an address; it belongs to one country. */
const ofAddress: readonly BillingField[] = [
  'usRegionAlpha2',
  'region',
  'city',
  'streetAddress',
  'aptNumber',
  'postIndex',
]

/** How a customer's "there is no apartment number" is stored. */
export const noApartment = '-'

/** The states, districts and territories of ISO 3166-2:US, without their prefix. */
export const usRegions: ReadonlySet<string> = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC ' +
    'SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR UM VI'
  ).split(' '),
)

const leastAge = 18
const mostAge = 120

/** Says what is wrong with the form of one field, if anything. `today` is business time, for the age. */
export const billingComplaint = (field: BillingField, text: string, today: Date): string | undefined =>
  complaints[field]?.(text, today)

const complaints: Partial<Record<BillingField, (text: string, today: Date) => string | undefined>> = {
  countryAlpha2: (text) => (findCountry(text) ? undefined : 'This is not a two-letter country code.'),
  usRegionAlpha2: (text) =>
    usRegions.has(text.toUpperCase()) ? undefined : 'This is not a two-letter code of a US region.',
  dateOfBirthday: birthdayComplaint,
  gender: (text) => (/^[MFO]$/i.test(text) ? undefined : 'This must be M, F or O.'),
}

/** A field as it is stored: codes in upper case. */
export const spelled = (field: BillingField, text: string): string =>
  field === 'countryAlpha2' || field === 'usRegionAlpha2' || field === 'gender' ? text.toUpperCase() : text

/** `DD.MM.YYYY`, a day that there was, of someone from 18 to 120 years old today. */
function birthdayComplaint(text: string, today: Date): string | undefined {
  const [, day = '', month = '', year = ''] = /^(\d{2})\.(\d{2})\.(\d{4})$/.exec(text) ?? []
  const born = new Date(`${year}-${month}-${day}T00:00:00.000Z`)
  // A day that is not in its month is no date, or rolls over into the next.
  const isReal = !Number.isNaN(born.getTime()) && born.toISOString().slice(8, 10) === day
  if (!isReal) return 'This must be a date written as DD.MM.YYYY.'

  const birthday = `${month}-${day}`
  const hadBirthday = today.toISOString().slice(5, 10) >= birthday
  const age = today.getUTCFullYear() - born.getUTCFullYear() - (hadBirthday ? 0 : 1)
  return age < leastAge || age > mostAge ? `The customer must be ${leastAge} to ${mostAge} years old.` : undefined
}

/** Fields that are still to be filled in before payment, in the order of the contract. */
export const missingBilling = (billing: Billing): BillingField[] =>
  requiredBilling.filter((field) => !billing[field]?.trim())

/** Whether nothing is left to ask: every required field is there, and its country is one that we serve. */
export const isBillingComplete = (billing: Billing): boolean =>
  missingBilling(billing).length === 0 && findCountry(billing.countryAlpha2 ?? '')?.supported === true

/**
 * Puts `newer` over `older`, field by field. An address in another country replaces the older one whole, so that no street of
 * one country is left in another; a US region goes with the country US only.
 */
export function mergeBilling(older: Billing, newer: Billing): Billing {
  const hasMoved =
    newer.countryAlpha2 !== undefined && (older.countryAlpha2 ?? newer.countryAlpha2) !== newer.countryAlpha2
  const kept = hasMoved ? Object.fromEntries(Object.entries(older).filter(([field]) => !isOfAddress(field))) : older
  const merged: Billing = { ...kept, ...newer }
  if (merged.countryAlpha2 !== 'US') delete merged.usRegionAlpha2
  return merged
}

const isOfAddress = (field: string): boolean => (ofAddress as readonly string[]).includes(field)

/** The full name, where both parts of it are known. */
export const fullNameIn = (billing: Billing | null | undefined): string | null =>
  billing?.firstName && billing.lastName ? `${billing.firstName} ${billing.lastName}` : null
