import { type AddressFamily, familiesOf } from './address.ts'
import { familyOfScheme, ownScheme } from './read-payment-uri.ts'

/** What people call the addresses of each family, with the article. The chains of the EVM share Ethereum's. */
const names: Readonly<Record<AddressFamily, string>> = {
  bitcoin: 'a Bitcoin',
  litecoin: 'a Litecoin',
  dogecoin: 'a Dogecoin',
  'bitcoin-cash': 'a Bitcoin Cash',
  evm: 'an Ethereum',
  tron: 'a Tron',
  solana: 'a Solana',
  xrp: 'an XRP',
  stellar: 'a Stellar',
  cardano: 'a Cardano',
  polkadot: 'a Polkadot',
  algorand: 'an Algorand',
  ton: 'a TON',
}

/** What else people paste where an address belongs, by its form. */
const others: readonly (readonly [form: RegExp, sentence: string])[] = [
  [
    /^(?:lightning:)?(?:ln(?:bc|tb|bcrt)\d*[munp]?1[02-9ac-hj-np-z]{20,}|lnurl1[02-9ac-hj-np-z]+)$/i,
    'a Lightning invoice',
  ],
  [/^[xyztuv]pub[1-9A-HJ-NP-Za-km-z]{100,115}$/i, 'an extended public key'],
  [/^[^\s@]+@[^\s@]+\.[a-z]{2,}$/i, 'an email address'],
  [
    /^[\p{L}\p{N}_-]+(?:\.[\p{L}\p{N}_-]+)*\.(?:eth|sol|crypto|wallet|nft|x|bitcoin|dao|zil|ton|trx|bnb|ada|xrp|near)$/iu,
    'a name',
  ],
]

/**
 * Says what a text is that is no address of `own`, and what is expected instead: an address or a link of another family, whatever its
 * checksum, a Lightning invoice, an extended public key, a name or an email address. Undefined for anything else.
 */
export function foreignSentence(
  own: AddressFamily,
  coin: string,
  written: string,
  isRefund = false,
): string | undefined {
  const text = ownScheme(written).trim()
  const [, scheme = '', body = text] = /^([a-z][a-z0-9+]*):(?:\/\/)?([^?#@/]*)/i.exec(text) ?? []
  const family = familyOfScheme(scheme) ?? familiesOf(text)[0] ?? familiesOf(body)[0] ?? familyByShape(text)
  if (family !== undefined)
    return family === own
      ? undefined
      : `That's ${names[family]} address. ${isRefund ? "We're refunding" : "You're buying"} ${coin}.`
  const what = others.find(([form]) => form.test(text))?.[1]
  return what === undefined ? undefined : `That's ${what}, not an address. Copy your ${coin} address from your wallet.`
}

/** Shapes that only one family has, so that a typo changes nothing. */
const familyByShape = (text: string): AddressFamily | undefined =>
  /^0x[\da-f]{38,42}$/i.test(text) ? 'evm' : undefined
