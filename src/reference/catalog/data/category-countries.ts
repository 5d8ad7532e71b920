import type { Category } from '../payment-category.ts'

const set = (text: string): ReadonlySet<string> => new Set(text.split(' '))

const eu = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'
const eea = `${eu} IS LI NO`

/**
 * Where a customer may use a category, by alpha-2 code; `everywhere` means every supported country. Sources:
 * - SEPA: European Payments Council, EPC409-09, "List of SEPA scheme countries", territories with a code of their own
 *   included.
 * - OPEN_BANKING: Directive (EU) 2015/2366 (EEA) and the UK's Payment Services Regulations 2017. REVOLUT_PAY:
 *   revolut.com/revolut-pay.
 * - FASTERPAYMENTS: Pay.UK. PIX: Banco Central do Brasil. SPEI: Banco de Mexico. PSE: ACH Colombia.
 * - APPLE_PAY: support.apple.com/102775; GOOGLE_PAY: support.google.com/googlepay. A cautious part of both vendors'
 *   lists: the EEA, and the countries of the other currencies that our wallet methods take.
 */
export const categoryCountries: Readonly<Record<Category, 'everywhere' | ReadonlySet<string>>> = {
  CRYPTO: 'everywhere',
  VISA_MC: 'everywhere',
  SWIFT: 'everywhere',
  SEPA: set(`${eea} AD AL CH GB MC MD ME MK RS SM VA AX BL GF GG GI GP IM JE MF MQ PM RE YT`),
  OPEN_BANKING: set(`${eea} GB`),
  REVOLUT_PAY: set(`${eea} GB`),
  APPLE_PAY: set(`${eea} AE AU BR CA CH GB HK JP MX NZ SA SG TW US`),
  GOOGLE_PAY: set(`${eea} AE AU BR CA CH GB HK JP MX NZ SG TW US`),
  FASTERPAYMENTS: set('GB'),
  PIX: set('BR'),
  SPEI: set('MX'),
  PSE: set('CO'),
}
