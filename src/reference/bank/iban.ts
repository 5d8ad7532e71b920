import { countrySpecs, isValidBIC, validateIBAN, ValidationErrorsIBAN } from 'ibantools'

import { findCountry, servesCountry } from '../catalog/country.ts'
import type { Category } from '../catalog/payment-category.ts'

/** An IBAN in its electronic spelling, or one plain sentence on what is wrong with it. */
export type IbanCheck = { ok: true; iban: string } | { ok: false; reason: string }

/**
 * Leaves out what people put between the characters of an account (spaces of every kind, hyphens, dots) and writes
 * capitals. undefined when anything is left but letters A to Z and digits.
 */
export function compact(text: string): string | undefined {
  const bare = text.replace(/[\s.\u2010-\u2015-]/g, '')
  return /^[A-Za-z0-9]*$/.test(bare) ? bare.toUpperCase() : undefined
}

/**
 * Checks an IBAN (ISO 13616): its country, that country's length and form, the check digits modulo 97, and the check
 * digits inside it in the countries where `ibantools` knows them. Refuses a Swiss QR-IBAN, which takes only payments with
 * a QR reference.
 */
export function checkIban(text: string): IbanCheck {
  const iban = compact(text)
  if (!iban || !/^[A-Z]{2}\d{2}[A-Z0-9]+$/.test(iban))
    return refuse('An IBAN is two letters, two digits, and then up to 30 letters and digits.')

  const country = iban.slice(0, 2)
  const { errorCodes } = validateIBAN(iban, { allowQRIBAN: false })
  if (errorCodes.includes(ValidationErrorsIBAN.NoIBANCountry) || isTerritory(country))
    return refuse(`No IBAN begins with ${country}.`)
  if (errorCodes.includes(ValidationErrorsIBAN.WrongBBANLength))
    return refuse(`An IBAN that begins with ${country} has ${countrySpecs[country]?.chars} characters.`)
  if (errorCodes.length === 1 && errorCodes[0] === ValidationErrorsIBAN.QRIBANNotAllowed)
    return refuse('This is a QR-IBAN, which takes only payments with a QR reference. Use the account’s own IBAN.')
  if (errorCodes.length > 0) return refuse('This is not a valid IBAN: check every character.')
  return { ok: true, iban }
}

/** Whether a text could only be meant as an IBAN: it begins as those of a country that has IBANs. */
export const looksLikeIban = (compacted: string): boolean =>
  /^[A-Z]{2}\d{2}/.test(compacted) && countrySpecs[compacted.slice(0, 2)]?.chars !== undefined

/**
 * A bank's BIC in its electronic spelling: 8 or 11 characters (ISO 9362), with a country in the middle. undefined when it is
 * none. A test BIC, whose eighth character is 0, is one: the sandbox's banks have such.
 */
export function readBic(text: string): string | undefined {
  const bic = compact(text)
  return bic && isValidBIC(bic) ? bic : undefined
}

/** Whether a bank in the country of an IBAN or a BIC can be paid in a category. Countries that we do not serve can not. */
export function reaches(category: Category, alpha2: string): boolean {
  const country = findCountry(alpha2)
  return country !== undefined && servesCountry(category, country)
}

/**
 * Territories whose banks have the IBANs of the first country here, and a BIC of either (SWIFT, "IBAN Registry"; European
 * Payments Council, EPC409-09). `ibantools` also takes IBANs with their own codes, which nobody gives.
 */
const shared = ['GB GG IM JE', 'FR BL GF GP MF MQ NC PF PM RE TF WF YT', 'FI AX'].map((codes) => codes.split(' '))

/** Whether an IBAN and a BIC can be of one bank, as far as their countries tell. */
export function belongTogether(iban: string, bic: string): boolean {
  const [ours, theirs] = [iban.slice(0, 2), bic.slice(4, 6)]
  return ours === theirs || shared.some((codes) => codes.includes(ours) && codes.includes(theirs))
}

const isTerritory = (country: string): boolean => shared.some((codes) => codes.indexOf(country) > 0)

const refuse = (reason: string): IbanCheck => ({ ok: false, reason })
