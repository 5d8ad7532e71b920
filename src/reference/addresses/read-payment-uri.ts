import { checkAddress } from './address.ts'
import type { AddressFamily } from './address.ts'
import type { RequestedCoin } from './payment-uri.ts'

/** Where a payment request asks to be paid, with a memo or tag (empty if it names none); or what it asks for instead of our coin. */
export type ReadRequest =
  | { ok: true; address: string; extraId: string }
  | { ok: false; asksFor: 'network' | 'coin' | 'two memos' }

/** The scheme of each family's own form (payment-uri.ts), and older ones that wallets still write. */
const schemes: Readonly<Record<AddressFamily, readonly string[]>> = {
  bitcoin: ['bitcoin'],
  litecoin: ['litecoin'],
  dogecoin: ['dogecoin'],
  'bitcoin-cash': ['bitcoincash'],
  evm: ['ethereum'],
  tron: ['tron'],
  solana: ['solana'],
  xrp: ['xrpl', 'xrp', 'ripple'],
  stellar: ['web+stellar', 'stellar'],
  cardano: ['web+cardano', 'cardano'],
  polkadot: ['polkadot'],
  algorand: ['algorand'],
  ton: ['ton'],
}

const families = Object.keys(schemes) as AddressFamily[]

/** The family whose wallets write links with this scheme. */
export const familyOfScheme = (scheme: string): AddressFamily | undefined =>
  families.find((family) => schemes[family].includes(scheme.toLowerCase()))

/** A wallet's link of the web, which says the same as one with the chain's own scheme (docs.xaman.dev, "Payment Request Link"). */
const webLinks: readonly (readonly [start: RegExp, scheme: string])[] = [
  [/^\s*https:\/\/(?:xumm|xaman)\.app\/detect\/request:/i, 'xrpl:'],
]

/** A payment request with the scheme of its chain; any other text as it is. */
export const ownScheme = (text: string): string =>
  webLinks.reduce((read, [start, scheme]) => read.replace(start, scheme), text)

/**
 * Parses the payment URIs of wallets' QR codes and links. Undefined for a text that is not a URI: it may be an address. What a
 * wallet leaves open (ERC-681 need not name the chain, most wallets not the token) is taken as ours; what it names must be ours.
 */
export function readPaymentUri(
  coin: Pick<RequestedCoin, 'family' | 'caip2' | 'contract'>,
  text: string,
): ReadRequest | undefined {
  const [, scheme = '', body = '', query = ''] =
    /^([a-z][a-z0-9+]*):(?:\/\/)?([^?#]*)(?:\?([^#]*))?/i.exec(ownScheme(text).trim()) ?? []
  const family = familyOfScheme(scheme)
  if (family === undefined) return undefined
  if (family !== coin.family) return { ok: false, asksFor: 'network' }

  const asked = new URLSearchParams(query)
  if (coin.family === 'evm') return readOfEvm(coin, body, asked)
  const token = tokenIn(asked)
  if (token !== undefined && !isSameToken(coin, token)) return { ok: false, asksFor: 'coin' }
  const address = asked.get('destination') ?? body.replace(/^(transfer|pay)\//i, '').replace(/\/$/, '')
  const memos = memosIn(asked)
  return memos.length > 1
    ? { ok: false, asksFor: 'two memos' }
    : { ok: true, address: address.trim(), extraId: memos[0] ?? '' }
}

/** ERC-681: for a token the contract comes first, and the recipient is in the query. */
function readOfEvm(
  { caip2, contract }: Pick<RequestedCoin, 'caip2' | 'contract'>,
  body: string,
  asked: URLSearchParams,
): ReadRequest {
  const [, target = '', chainId, call] = /^(?:pay-)?([^@/]*)(?:@(\d+))?(?:\/(\w+))?$/i.exec(body) ?? []
  if (chainId !== undefined && caip2 !== `eip155:${chainId}`) return { ok: false, asksFor: 'network' }
  if (call === undefined) return { ok: true, address: target, extraId: '' }
  const isOurs = call === 'transfer' && target.toLowerCase() === contract?.toLowerCase()
  return isOurs ? { ok: true, address: asked.get('address') ?? '', extraId: '' } : { ok: false, asksFor: 'coin' }
}

/** The token that is named, as Solana Pay, ARC-26, TON's links and SEP-7 do. */
function tokenIn(asked: URLSearchParams): string | undefined {
  const [code, issuer] = [asked.get('asset_code'), asked.get('asset_issuer')]
  if (code !== null && issuer !== null) return `${code}-${issuer}`
  return asked.get('spl-token') ?? asked.get('asset') ?? asked.get('jetton') ?? undefined
}

/** TON has more than one spelling of a contract. */
function isSameToken({ family, contract }: Pick<RequestedCoin, 'family' | 'contract'>, token: string): boolean {
  if (contract === null || contract === token) return contract === token
  const [ours, theirs] = [checkAddress(family, contract), checkAddress(family, token)]
  return ours.ok && theirs.ok && ours.canonical === theirs.canonical
}

/** Names of one memo or tag, by how surely they mean it. */
const memoNames = [['dt', 'tag'], ['memo', 'memoid'], ['text']]

/** Different memos or tags that a request names alike: more than one leaves open which is meant. */
function memosIn(asked: URLSearchParams): string[] {
  const named = memoNames.map((names) => names.flatMap((name) => asked.getAll(name)).filter((one) => one !== ''))
  return [...new Set(named.find((memos) => memos.length > 0))]
}
