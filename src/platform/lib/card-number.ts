/** First digits of the cards of known issuers (ISO/IEC 7812, and the ranges that the networks publish). */
const issuers = new RegExp(
  `^(?:${[
    '4', // Visa, Dankort
    '5[0-8]', // Mastercard, Maestro, Verve, Elo
    '222[1-9]|22[3-9]|2[3-6]|27[01]|2720', // Mastercard's second range
    '220[0-4]', // Mir
    '3[47]', // American Express
    '30[0-5]|3095|3[689]', // Diners Club
    '352[89]|35[3-8]', // JCB
    '6', // Discover, Maestro, UnionPay, RuPay, Hipercard, InterPayment, Troy
    '8[12]', // RuPay, UnionPay
    '9792', // Troy
  ].join('|')})`,
)

/** What a card number in a field is answered with. */
export const cardSentence = 'Card numbers are not accepted here: the customer enters the card at the payment page only.'

/** Spaces and dashes of every kind, the invisible ones included: what people, pages and phones put between digits. */
const gap = '[\\s\\p{Pd}\\u00ad\\u200b-\\u200d\\u2060\\u2212]'
const gaps = new RegExp(`${gap}+`, 'u')
const thirteenDigits = new RegExp(`\\d(?:${gap}*\\d){12}`, 'u')
const digitRuns = new RegExp(`\\d+(?:${gap}+\\d+)*`, 'gu')
const digitsAlone = new RegExp(`^(?:\\d|${gap})+$`, 'u')

/**
 * Whether a text contains a payment card number: 13 to 19 digits, including full-width ones, with an issuer's prefix and a valid
 * check digit, ignoring spaces and dashes. Checks every run of whole groups of digits, so that "ref 12 4242 4242 4242 4242"
 * is found. Hexadecimal identifiers are checked too: one in seven hundred random UUIDs matches by chance.
 */
export function holdsCardNumber(text: string): boolean {
  if (text.length < 13) return false
  const plain = text.normalize('NFKC')
  if (!thirteenDigits.test(plain)) return false
  const runs = plain.match(digitRuns) ?? []
  return runs.some((run) => isCardAmong(run.split(gaps)))
}

/** The same for a text that should be a blockchain address: only a text of nothing but digits counts. */
export const isCardNumber = (text: string): boolean => digitsAlone.test(text.normalize('NFKC')) && holdsCardNumber(text)

function isCardAmong(groups: string[]): boolean {
  return groups.some((_, from) => {
    let digits = ''
    for (const group of groups.slice(from, from + 19)) {
      digits += group
      if (digits.length > 19) return false
      if (digits.length >= 13 && issuers.test(digits) && isLuhnValid(digits)) return true
    }
    return false
  })
}

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
