import { type Fields, fieldsOf, textOf } from '../processor/call.ts'
import { codeOf, given, outcomeOf } from '../processor/card.ts'
import type { CardAuthentication, RailEvent } from '../rail.ts'

/** The codes of each result, for the parts that were compared, such as street and postal code. Any other code compared nothing. */
type Codes = Readonly<Record<'pass' | 'pass/fail' | 'fail', string>>

/** "AVS codes" of https://www.checkout.com/docs; with American Express the cardholder's name is a part, too. */
const addressCodes: Codes = { pass: 'B D F M P X Y AE4 AE5 AE6 AE7', 'pass/fail': 'A W Z AE1 AE2 AE3', fail: 'N AE8' }

/** "CVV response codes": unlike at other processors, D is an invalid one, and N was not checked. */
const cardCodes: Codes = { pass: 'Y', 'pass/fail': '', fail: 'D' }

/** What the risk rules read of a card payment. Nothing of a payment that shows no card. */
export function cardFactsOf(payment: Fields): Pick<RailEvent, 'authentication'> & { card: Record<string, string> } {
  const source = fieldsOf(payment.source)
  if (textOf(source.type) !== 'card') return { card: {} }
  return {
    authentication: authenticationOf(payment, textOf(source.card_wallet_type) !== ''),
    card: {
      ...given('avs', meaningOf(addressCodes, textOf(source.avs_check))),
      ...given('cvc', meaningOf(cardCodes, textOf(source.cvv_check))),
      ...given('bin_country', codeOf(source.issuer_country)),
      ...given('fingerprint', codeOf(source.fingerprint)),
    },
  }
}

/** Whatever a code says at other processors, one that is not ours to know counts as unchecked. */
function meaningOf(codes: Codes, code: string): string {
  if (code === '') return ''
  return Object.entries(codes).find(([, known]) => known.split(' ').includes(code))?.[0] ?? 'unchecked'
}

/**
 * The outcome of 3-D Secure, with a signature that is valid. The indicator by itself says it of a wallet only: payments without 3-D Secure
 * have one, too.
 */
function authenticationOf(payment: Fields, isWallet: boolean): CardAuthentication {
  const { authentication_response: answer, signature_valid: signature } = fieldsOf(payment['3ds'])
  const outcome = outcomeOf(textOf(payment.eci))
  if (answer === 'N' || answer === 'R' || signature === 'N') return { threeDSecure: 'failed', liabilityShifted: false }
  if (answer !== 'Y' && answer !== 'A')
    return (isWallet ? outcome : undefined) ?? { threeDSecure: 'not_used', liabilityShifted: false }
  return {
    threeDSecure: answer === 'Y' ? 'authenticated' : 'attempted',
    liabilityShifted: outcome?.liabilityShifted === true,
  }
}
