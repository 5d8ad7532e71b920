import { wordlist } from '@scure/bip39/wordlists/english'
import { base32 } from '@scure/base'

import { decodeBase58, decodePlainBase58, decodeRippleBase58 } from './base58.ts'

/** What somebody who has it can take coins with. */
export type SecretKind = 'private_key' | 'recovery_phrase'

/** What a secret in a field is answered with. It is never repeated. */
export const secretSentence =
  'This looks like a private key or a recovery phrase. Never enter one: people who see it can take the coins. Move them to a new wallet.'

/** The shortest recovery phrase (BIP-39), and the fewest characters that it has. */
const leastWords = 12
const leastLength = 47

/** First bytes of private keys in wallet import format: Bitcoin, Litecoin, Dogecoin, and Bitcoin's test networks. */
const walletImport: ReadonlySet<number> = new Set([0x80, 0xb0, 0x9e, 0xef])

/** The version byte of Stellar's secret seeds (SEP-23), and that of seeds on the XRP Ledger. */
const stellarSeed = 0x90
const rippleSeed = 0x21

const words = new Set(wordlist)

/**
 * Whether a whole text is a private key in one of its usual forms, or contains a recovery phrase: people paste them where an address
 * belongs. Keys: wallet import format, 64 hex digits, extended private keys (xprv, zprv and the others), seeds of Stellar and of
 * the XRP Ledger, Solana's 64 bytes in base58 or as a list of numbers. A phrase is found by 12 words of the BIP-39 list in a row,
 * whatever is between them, since somebody who mistypes a word has shown the others.
 */
export function secretIn(text: string): SecretKind | undefined {
  if (holdsPhrase(text)) return 'recovery_phrase'
  const whole = text.trim()
  return whole.length <= 400 && keyForms.some((isKey) => isKey(whole)) ? 'private_key' : undefined
}

function holdsPhrase(text: string): boolean {
  if (text.length < leastLength) return false
  let run = 0
  for (const word of text
    .normalize('NFKC')
    .toLowerCase()
    .match(/\p{L}+/gu) ?? []) {
    run = words.has(word) ? run + 1 : 0
    if (run >= leastWords) return true
  }
  return false
}

const keyForms: readonly ((text: string) => boolean)[] = [
  (text) => /^(0x)?[0-9a-f]{64}$/i.test(text),
  (text) => {
    const bytes = text.length === 51 || text.length === 52 ? decodeBase58(text) : undefined
    return bytes !== undefined && walletImport.has(bytes[0] ?? 0) && (bytes.length === 33 || bytes.length === 34)
  },
  // BIP-32: 78 bytes, and a zero before a private key where a public key has its sign.
  (text) => {
    const bytes = /^[a-zA-Z]prv[1-9A-HJ-NP-Za-km-z]{100,110}$/.test(text) ? decodeBase58(text) : undefined
    return bytes?.length === 78 && bytes[45] === 0
  },
  (text) => /^S[A-Z2-7]{55}$/.test(text) && base32.decode(text)[0] === stellarSeed,
  (text) => text.startsWith('s') && decodeRippleBase58(text)?.[0] === rippleSeed,
  (text) => /^[1-9A-HJ-NP-Za-km-z]{85,90}$/.test(text) && decodePlainBase58(text)?.length === 64,
  (text) => /^\[\s*(\d{1,3}\s*,\s*){63}\d{1,3}\s*\]$/.test(text),
]
