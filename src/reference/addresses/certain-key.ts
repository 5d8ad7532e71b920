import { createPrivateKey, createPublicKey } from 'node:crypto'

import { decodeBase58, decodePlainBase58, decodeRippleBase58 } from './base58.ts'
import { isStellarSeed } from './stellar.ts'

const base58 = /^[1-9A-HJ-NP-Za-km-z]+$/

/** What only private keys are, whatever field they are in, by the lengths that they are written in. */
const forms: readonly { lengths: readonly [least: number, most: number]; is: (text: string) => boolean }[] = [
  { lengths: [50, 53], is: (text) => base58.test(text) && isWalletImport(decodeBase58(text)) },
  { lengths: [58, 58], is: (text) => text.startsWith('6P') && decodeBase58(text)?.length === 39 },
  { lengths: [27, 32], is: (text) => text.startsWith('s') && isRippleSeed(decodeRippleBase58(text)) },
  { lengths: [56, 56], is: isStellarSeed },
  { lengths: [96, 120], is: (text) => /^[a-z]prv[1-9A-HJ-NP-Za-km-z]{92,116}$/.test(text) },
  { lengths: [55, 800], is: (text) => /^(?:\w+_x?sk|xprv)1[\da-z]{50,}$/i.test(text) },
  { lengths: [86, 88], is: (text) => isKeyPair(base58.test(text) ? decodePlainBase58(text) : undefined) },
  { lengths: [88, 88], is: (text) => text.endsWith('==') && isKeyPair(Buffer.from(text, 'base64')) },
  { lengths: [128, 130], is: (text) => isKeyPair(Buffer.from(text.replace(/^0x/i, ''), 'hex')) },
]

/** Whether a text is a private key by its own check digits, or by the public key that it contains. An identifier is never one. */
export const isCertainKey = (text: string): boolean =>
  forms.some(({ lengths: [least, most], is }) => text.length >= least && text.length <= most && is(text))

/** Wallet import format: a version, 32 bytes, and a one for a compressed public key. Versions of keys are those of addresses and 128. */
const isWalletImport = (bytes: Uint8Array | undefined): boolean =>
  bytes !== undefined && (bytes[0] ?? 0) >= 0x80 && (bytes.length === 33 || (bytes.length === 34 && bytes[33] === 1))

/** First bytes and lengths of seeds (xrpl.org, "base58 encodings"). */
const isRippleSeed = (bytes: Uint8Array | undefined): boolean =>
  (bytes?.length === 17 && bytes[0] === 0x21) || (bytes?.length === 19 && bytes[0] === 1 && bytes[1] === 0xe1)

/** What comes before the 32 bytes of a private key of Ed25519 in PKCS #8 (RFC 8410). */
const beforeSeed = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Whether 64 bytes are a private key of Ed25519 and its public key, as wallets of Solana, Algorand and TON write them. */
function isKeyPair(bytes: Uint8Array | undefined): boolean {
  if (bytes?.length !== 64) return false
  const der = Buffer.concat([beforeSeed, bytes.subarray(0, 32)])
  const key = createPublicKey(createPrivateKey({ key: der, format: 'der', type: 'pkcs8' }))
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url').equals(bytes.subarray(32))
}
