/**
 * What secrets look like in what people type: names, addresses, accounts, where nothing else looks like that. These shapes need no word
 * list and no checksum, so a page's script has them too and clears the field before anything is sent. A typo changes no shape.
 */

/** Private keys, without the white space that was in them. */
export const keyShapes: readonly RegExp[] = [
  /^(?:0x)?(?:[\da-f]{64}|[\da-f]{128})$/i, // 32 or 64 bytes
  /^[5KLcT69Q][1-9A-HJ-NP-Za-km-z]{50,51}$/, // wallet import format: Bitcoin, Litecoin, Dogecoin, and test networks
  /^6P[1-9A-HJ-NP-Za-km-z]{56}$/, // the same with a password (BIP-38)
  /^[a-z]prv[\da-z]{95,115}$/i, // extended private keys (BIP-32)
  /^(?:\w+_x?sk|xprv)1[\da-z]{50,}$/i, // Cardano (CIP-5)
  /^S[A-Z2-7]{55}$/, // Stellar (SEP-23)
  /^s(?=(?:.*?[\dA-Z]){3})(?:Ed)?[1-9A-HJ-NP-Za-km-z]{28}$/, // the XRP Ledger: no long word
  /^[1-9A-HJ-NP-Za-km-z]{86,88}$/, // Solana
  /(?:\d{1,3},){31,}\d/, // bytes, as Solana's tools write them
  /^[\da-z+/]{86}==$/i, // 64 bytes in base64: Algorand, TON
  /"ciphertext":|"encoded":/, // key files of Ethereum and Polkadot
]

/** The words of a phrase, run together or parted at the wrong places: in a field that takes an address. */
export const runTogether = /^\p{Ll}{36,}$/u

/** So many words are a recovery phrase where an address belongs: the shortest has 12, and one or two may be missing. */
export const leastPhraseLength = 10

/** What separates the parts of a text: of a sentence, of a list, of a link. */
export const separators = /[^\p{L}\p{M}\p{N}+/=_]+/u
