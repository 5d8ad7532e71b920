import { cardSentence, holdsCardNumber } from '../../platform/lib/card-number.ts'
import type { Problem } from '../../platform/lib/refusal.ts'
import { isUnsafe, isUnsafeLine, unsafeSentence } from '../../platform/lib/unsafe-characters.ts'
import { secretIn, type SecretPlace, secretSentence } from '../../reference/addresses/secret-text.ts'

/** Where a text comes in, and what it may be there. */
export type TextPlace = {
  place?: SecretPlace
  /** What is taken for a card number there. */
  isCard?: (text: string) => boolean
  /** Whether it may have several lines. */
  hasLines?: boolean
}

/**
 * Why no door takes a text, whatever field it is for: it holds somebody's key to their coins, characters that cannot be seen, or the
 * number of a card. Undefined for any other.
 */
export function textFault(
  text: string,
  { place = 'text', isCard = holdsCardNumber, hasLines = false }: TextPlace = {},
): Omit<Problem, 'path'> | undefined {
  if (secretIn(text, place)) return { code: 'SECRET_KEY', message: secretSentence }
  if (hasLines ? isUnsafe(text) : isUnsafeLine(text)) return { code: 'UNSAFE_CHARACTERS', message: unsafeSentence }
  return isCard(text) ? { code: 'CARD_NUMBER', message: cardSentence } : undefined
}
