import { certainKeyShapes, keyShapes, leastPhraseLength, separators } from './secret-shapes.ts'
import { holdsPhrase } from './recovery-phrase.ts'

/** What somebody who has it can take coins with. */
export type SecretKind = 'private_key' | 'recovery_phrase'

/** What a secret in a field is answered with. It is never repeated. */
export const secretSentence =
  'This looks like a private key or a recovery phrase. Never enter one: people who see it can take the coins. Move them to a new wallet.'

/** Where a text was entered: in a field that takes an address or a memo, where nothing else looks like a secret, or in any other. */
export type SecretPlace = 'destination' | 'text'

/** Longer texts are read for phrases only. */
const longestKey = 800

/**
 * Whether a text holds a private key or a recovery phrase, because people paste them where an address belongs. In a destination their
 * shape is enough, in spite of typos, with spaces or line breaks in them, and inside a link. Elsewhere hashes look like keys, so a phrase
 * is known by its words, and a key only by a form that nothing else has.
 */
export function secretIn(text: string, place: SecretPlace): SecretKind | undefined {
  const plain = decoded(text).normalize('NFKC')
  if (holdsPhrase(plain) || (place === 'destination' && looksLikePhrase(plain))) return 'recovery_phrase'
  if (plain.length > longestKey || rawTonAddress.test(plain)) return undefined
  const shapes = place === 'destination' ? keyShapes : certainKeyShapes
  const split = plain.split(separators).flatMap((part) => [part, part.replace(/^\w+=/, '')])
  const parts = [plain.replace(/\s+/gu, ''), ...split]
  return parts.some((part) => shapes.some((shape) => shape.test(part))) ? 'private_key' : undefined
}

/** The workchain and 64 hexadecimal digits. */
const rawTonAddress = /^\s*-?\d:[\da-f]{64}\s*$/i

/** Words, or characters that are words: an address has neither. */
function looksLikePhrase(text: string): boolean {
  const words = text.split(separators).filter((part) => /^[\p{L}\p{M}]+$/u.test(part.replace(/^\d+|\d+$/g, '')))
  const characters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu) ?? []
  return words.length >= leastPhraseLength || characters.length >= leastPhraseLength
}

/** A link's escapes; a text without them is what it is. */
function decoded(text: string): string {
  if (!/%[\da-f]{2}/i.test(text)) return text
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return text
  }
}
