import { formatAmount } from '../../platform/money/amount.ts'
import type { AddressFamily } from './address.ts'

/**
 * What coins are asked for. `caip2` is the chain's name in CAIP-2 (`eip155:1`); `contract` the token's, spelled as its
 * chain spells it (on Stellar `CODE-ISSUER`, on Algorand the asset's number), null for a native coin.
 */
export type RequestedCoin = { family: AddressFamily; caip2: string; contract: string | null; decimals: number }

/** Where to, with a memo or tag (empty if there is none), and how much in the coin's smallest unit. */
export type RequestedPayment = { address: string; extraId: string; amount: bigint }

type Writer = (coin: RequestedCoin, payment: RequestedPayment) => string | undefined

/**
 * What a wallet reads from a QR code to fill in a payment, in the chain's own form:
 *
 * | Family | Form |
 * |---|---|
 * | bitcoin, litecoin, dogecoin | BIP-21; the other two took it over with their own scheme |
 * | bitcoin-cash | BIP-21; the address brings its prefix, which must not come twice (spec/cashaddr.md, "Double prefix") |
 * | evm | ERC-681, amount in the smallest unit; a token as `transfer` of its contract |
 * | solana | Solana Pay, transfer request |
 * | xrp | `xrpl://` with the parameters of XLS-2 (docs.xaman.dev, "Payment Request Link") |
 * | stellar | SEP-7, operation `pay` |
 * | cardano | CIP-13, Ada only |
 * | algorand | ARC-26, amount in the smallest unit |
 * | ton | `ton://transfer` (docs.ton.org, "Deep links"), amount in the smallest unit |
 *
 * Without an established form (Tron, Polkadot, a token that the form cannot name) it is the plain address, which
 * every wallet reads; the page must then show amount and memo too. Never a form that leaves out a token or
 * asks for the native coin instead.
 */
export function paymentUri(coin: RequestedCoin, payment: RequestedPayment): string {
  return writers[coin.family]?.(coin, payment) ?? payment.address
}

const likeBitcoin =
  (scheme: string): Writer =>
  (coin, { address, amount }) =>
    coin.contract === null ? `${scheme}${address}${query({ amount: formatAmount(amount, coin) })}` : undefined

const writers: Partial<Record<AddressFamily, Writer>> = {
  bitcoin: likeBitcoin('bitcoin:'),
  litecoin: likeBitcoin('litecoin:'),
  dogecoin: likeBitcoin('dogecoin:'),
  'bitcoin-cash': likeBitcoin(''),
  cardano: likeBitcoin('web+cardano:'),

  evm: ({ caip2, contract }, { address, amount }) => {
    const [namespace, chainId] = caip2.split(':')
    if (namespace !== 'eip155') return undefined
    return contract === null
      ? `ethereum:${address}@${chainId}${query({ value: String(amount) })}`
      : `ethereum:${contract}@${chainId}/transfer${query({ address, uint256: String(amount) })}`
  },

  solana: (coin, { address, extraId, amount }) => {
    const token = coin.contract ?? ''
    return `solana:${address}${query({ amount: formatAmount(amount, coin), 'spl-token': token, memo: extraId })}`
  },

  xrp: (coin, { address, extraId, amount }) =>
    coin.contract === null
      ? `xrpl://${address}${query({ amount: formatAmount(amount, coin), dt: extraId })}`
      : undefined,

  stellar: (coin, { address, extraId, amount }) => {
    const [asset_code = '', asset_issuer = '', ...rest] = coin.contract?.split('-') ?? []
    if (rest.length > 0 || (coin.contract !== null && asset_issuer === '')) return undefined
    const memo_type = extraId === '' ? '' : isMemoId(extraId) ? 'MEMO_ID' : 'MEMO_TEXT'
    const amountText = formatAmount(amount, coin)
    return `web+stellar:pay${query({ destination: address, amount: amountText, asset_code, asset_issuer, memo: extraId, memo_type })}`
  },

  algorand: ({ contract }, { address, extraId, amount }) =>
    `algorand://${address}${query({ amount: String(amount), asset: contract ?? '', xnote: extraId })}`,

  ton: ({ contract }, { address, extraId, amount }) =>
    `ton://transfer/${address}${query({ jetton: contract ?? '', amount: String(amount), text: extraId })}`,
}

/** A memo of Stellar that is a number of 64 bits travels as one. */
const isMemoId = (memo: string): boolean => /^(0|[1-9]\d{0,19})$/.test(memo) && BigInt(memo) < 2n ** 64n

/** Names and values in order, without those that are empty; a space is `%20`, which all of these forms ask for. */
function query(parameters: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(parameters).filter(([, value]) => value !== '')
  return `?${pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&')}`
}
