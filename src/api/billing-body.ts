import { findCountry } from '../catalog/country.ts'
import type { FieldReader, Fields } from './fields.ts'

/** The states, districts and territories of ISO 3166-2:US, without their prefix. */
const usRegions = new Set(
  (
    'AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC ' +
    'SD TN TX UT VT VA WA WV WI WY DC AS GU MP PR UM VI'
  ).split(' '),
)

const leastAge = 18
const mostAge = 120

/** Fields that are any text, by their names on the wire and ours. */
const texts = [
  ['region', 'region'],
  ['city', 'city'],
  ['street_address', 'streetAddress'],
  ['apt_number', 'aptNumber'],
  ['post_index', 'postIndex'],
  ['first_name', 'firstName'],
  ['last_name', 'lastName'],
] as const

/**
 * Reads `customer.billing_info` as far as it was passed: any part of it is fine (wire.md, section 3). `today` is business time,
 * for the age. Undefined when nothing was passed.
 */
export function readBilling(read: FieldReader, given: Fields, today: Date): Record<string, string> | undefined {
  const at = (name: string) => `customer.billing_info.${name}`
  const billing: Record<string, string> = {}
  const put = (name: string, text: string | undefined) => {
    if (text !== undefined) billing[name] = text
  }

  const country = read.text(at('country_alpha_2'), given.country_alpha_2, { check: countryComplaint })?.toUpperCase()
  put('countryAlpha2', country)
  const region = read
    .text(at('us_region_alpha_2'), given.us_region_alpha_2, { check: usRegionComplaint })
    ?.toUpperCase()
  if (region !== undefined && country !== 'US')
    read.tell(at('us_region_alpha_2'), 'This goes with the country US only.')
  put('usRegionAlpha2', region)
  for (const [name, ours] of texts) put(ours, read.text(at(name), given[name], { isNumberRead: name === 'post_index' }))
  const born = given.date_of_birthday
  put('dateOfBirthday', read.text(at('date_of_birthday'), born, { check: (text) => birthdayComplaint(text, today) }))
  put('gender', read.text(at('gender'), given.gender, { check: genderComplaint })?.toUpperCase())
  return Object.keys(billing).length > 0 ? billing : undefined
}

const countryComplaint = (text: string) => (findCountry(text) ? undefined : 'This is not a two-letter country code.')

const usRegionComplaint = (text: string) =>
  usRegions.has(text.toUpperCase()) ? undefined : 'This is not a two-letter code of a US region.'

const genderComplaint = (text: string) => (/^[MFO]$/i.test(text) ? undefined : 'This must be M, F or O.')

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
