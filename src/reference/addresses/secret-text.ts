import { unsafeCharacters } from '../../platform/lib/unsafe-characters.ts'
import { isCertainKey } from './certain-key.ts'
import { holdsPhrase, isPhraseRunTogether } from './recovery-phrase.ts'
import { keyShapes, leastPhraseLength, runTogether, separators } from './secret-shapes.ts'

/** What somebody who has it can take coins with. */
export type SecretKind = 'private_key' | 'recovery_phrase'

/** What a secret in a field is answered with. It is never repeated. */
export const secretSentence =
  'This looks like a private key or a recovery phrase. Never enter one: people who see it can take the coins. Move them to a new wallet.'

/**
 * Where a text was entered: in a field that takes an address or a memo, in one that programs fill in with ids, hashes and links, or in
 * any other, where people type names and sentences.
 */
export type SecretPlace = 'destination' | 'identifier' | 'text'

/** Longer texts are read for phrases only. */
const longestKey = 800

/**
 * Whether a text holds a private key or a recovery phrase, because people paste them wherever there is a field. Their shape is enough, in
 * spite of typos, with spaces or line breaks in them, and inside a link. Among identifiers, where hashes look like keys, a key is known by
 * its check digits only. Words that are in no list make a phrase where an address belongs.
 */
export function secretIn(text: string, place: SecretPlace): SecretKind | undefined {
  if (text.length < leastPhraseLength) return undefined
  const plain = visible(decoded(text).normalize('NFKC'))
  // The names and values of a link are words, but no sentence.
  const sentences = place === 'identifier' ? plain.split(/[/?&=#]+/u) : [plain]
  if (sentences.some((one) => holdsPhrase(one) || isPhraseRunTogether(one))) return 'recovery_phrase'
  if (place === 'destination' && looksLikePhrase(plain)) return 'recovery_phrase'
  if (plain.length > longestKey || plain.length < shortestKey || rawTonAddress.test(plain)) return undefined
  if (certainText.some((shape) => shape.test(plain.replace(/\s+/gu, '')))) return 'private_key'
  return isKeyAmong(plain, place) ? 'private_key' : undefined
}

const shortestKey = 27

/** A list of bytes, as Solana's tools write keys, and key files of Ethereum and Polkadot. */
const certainText = [/(?:\d{1,3},){31,}\d/, /"ciphertext":|"encoded":/]

function isKeyAmong(plain: string, place: SecretPlace): boolean {
  const looksLikeKey = (part: string) => keyShapes.some((shape) => shape.test(part))
  const parts = plain.split(separators).flatMap((part) => [part, part.replace(/^\w+=/, '')])
  if (parts.some(isCertainKey) || joined(plain).some((part) => isCertainKey(part.text))) return true
  if (place === 'identifier') return false
  if (parts.some(looksLikeKey)) return true
  if (place === 'text') return joined(plain).some(({ text, isEven }) => isEven && looksLikeKey(text))
  return [plain.replace(/\s+/gu, ''), ...parts].some((part) => looksLikeKey(part) || runTogether.test(part))
}

/** What is next to each other between white space, put together; `isEven`: in groups of one length, but for the last. */
function joined(plain: string): { text: string; isEven: boolean }[] {
  const words = plain.split(/\s+/u).map((word) => word.replace(/[^\w+/=]+$/, ''))
  return words.flatMap((word, from) => {
    const found: { text: string; isEven: boolean }[] = []
    // A link or a sentence may come before it.
    const first = word.replace(/^.*[^\w+/=]/, '').replace(/^\w+=/, '')
    let text = first
    for (const next of words.slice(from + 1, from + 40)) {
      if (!/^[\w+/=]+$/.test(next)) break
      const isEven = first.length > 3 && text.length % first.length === 0 && next.length <= first.length
      text += next
      if (text.length >= shortestKey) found.push({ text, isEven })
    }
    return found
  })
}

/** The workchain and 64 hexadecimal digits. */
const rawTonAddress = /^\s*-?\d:[\da-f]{64}\s*$/i

/** Words, or characters that are words: an address has neither. */
function looksLikePhrase(text: string): boolean {
  const words = text.split(separators).filter((part) => /^[\p{L}\p{M}]+$/u.test(part.replace(/^\d+|\d+$/g, '')))
  const characters = text.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Hangul}]/gu) ?? []
  return words.length >= leastPhraseLength || characters.length >= leastPhraseLength
}

/** Without what cannot be seen; lines are parted as words are. */
const visible = (text: string): string =>
  text.replaceAll(/[\t-\r\u0085\u2028\u2029]/g, ' ').replaceAll(unsafeCharacters, '')

/** A link's escapes, of a link within a link too; a text without them is what it is. */
function decoded(text: string): string {
  let plain = text
  for (let depth = 0; depth < 3 && /%[\da-f]{2}/i.test(plain); depth += 1) {
    try {
      plain = decodeURIComponent(depth === 0 ? plain.replaceAll('+', ' ') : plain)
    } catch {
      return plain
    }
  }
  return plain
}
