/** The lengths of an issuer's cards, by how their numbers begin (ISO/IEC 7812, and the ranges that the networks publish). */
type Issuer = { first: RegExp; lengths: readonly number[] }

const upTo19 = (shortest: number): number[] => Array.from({ length: 20 - shortest }, (_, more) => shortest + more)

const issuers: readonly Issuer[] = [
  { first: /^4/, lengths: [13, 16, 19] }, // Visa, Dankort
  { first: /^(?:5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/, lengths: [16] }, // Mastercard
  { first: /^(?:50|5[6-8]|6304|6390|67)/, lengths: upTo19(13) }, // Maestro, Verve, Elo
  { first: /^220[0-5]/, lengths: upTo19(16) }, // Mir, Borica
  { first: /^3[47]/, lengths: [15] }, // American Express
  { first: /^(?:30[0-5]|3095|3[689])/, lengths: upTo19(14) }, // Diners Club
  { first: /^35(?:2[89]|[3-8])/, lengths: upTo19(16) }, // JCB
  { first: /^6(?:[025]|3[346-9]|4[4-9])/, lengths: upTo19(16) }, // Discover, UnionPay, RuPay, Hipercard, InterPayment, Troy
  { first: /^(?:8[12]|8600)/, lengths: upTo19(16) }, // RuPay, UnionPay, Uzcard
  { first: /^(?:9792|9704|9860)/, lengths: [16, 19] }, // Troy, Napas, Humo
]

/** What a card number in a field is answered with. */
export const cardSentence = 'Card numbers are not accepted here: the customer enters the card at the payment page only.'

/** A space or a dash of any kind, the invisible ones included: what people, pages and phones put between digits. */
const gap = '[\\s\\p{Pd}\\u00ad\\u200b-\\u200d\\u2060\\u2212]'
const gaps = new RegExp(`${gap}+`, 'u')
/** Groups of digits with a short gap between them, where no letter or other digit is next to them. */
const digitRuns = new RegExp(`(?<![\\p{L}\\p{N}])\\d+(?:${gap}{1,3}\\d+)*(?![\\p{L}\\p{N}])`, 'gu')

/** Where cards and forms part the digits: after these many. A text may leave out some of the gaps. */
const printed: readonly (readonly number[])[] = [
  [4, 8, 12, 16],
  [4, 10],
  [4, 7, 10],
  [6, 12],
]

const uuids = /[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}/gi
/** Hexadecimal, an address of TON, an IBAN: the only identifiers that can have digits alone between two gaps. */
const identifiers = [/^(?=.*[a-f])(?:0x)?[\da-f]{24,}$/i, /^[eku0][qf][\w-]{46}$/i, /^[a-z]{2}\d{2}[\da-z]{11,30}$/i]

/**
 * Whether a text contains a payment card number: 13 to 19 digits, including full-width ones, in one run or in groups as cards are
 * printed, with the prefix and the length of an issuer and a valid check digit, not next to a letter or another digit. "ref 12 4242 4242
 * 4242 4242" is found. Digits of an identifier (a UUID, a hash, an address, an IBAN) are not a card number.
 */
export function holdsCardNumber(text: string): boolean {
  if (text.length < 13) return false
  const plain = text.normalize('NFKC').replace(uuids, 'x')
  const whole = plain.split(gaps).join('')
  if (identifiers.some((form) => form.test(whole) || form.test(plain))) return false
  return (plain.match(digitRuns) ?? []).some((run) => isCardAmong(run.split(gaps)))
}

function isCardAmong(groups: string[]): boolean {
  return groups.some((_, from) => {
    const cuts: number[] = []
    let digits = ''
    for (const group of groups.slice(from, from + 6)) {
      digits += group
      if (digits.length > 19) return false
      if (isPrinted(cuts) && isCard(digits)) return true
      cuts.push(digits.length)
    }
    return false
  })
}

const isPrinted = (cuts: number[]): boolean => printed.some((places) => cuts.every((cut) => places.includes(cut)))

const isCard = (digits: string): boolean =>
  issuers.some(({ first, lengths }) => lengths.includes(digits.length) && first.test(digits)) && isLuhnValid(digits)

/** Whether the last of these digits is the check digit of the others (ISO/IEC 7812-1, annex B). */
export function isLuhnValid(digits: string): boolean {
  let sum = 0
  for (let place = 0; place < digits.length; place += 1) {
    const digit = digits.charCodeAt(digits.length - 1 - place) - 48
    const doubled = place % 2 === 1 ? digit * 2 : digit
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}
