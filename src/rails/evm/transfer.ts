import { findNetwork } from '../../reference/catalog/network.ts'
import type { Hex } from './node.ts'
import { contractOf, transferCall } from './tokens.ts'

/**
 * Who is paid, and so whose key signs: a payout, by the wallet that pays out; gas for tokens, from that wallet to the address of a
 * transaction; or what lies on such an address, to that wallet. Our own addresses are named by ids, never as addresses.
 */
export type Route = { payout: string; recipient: string } | { gasFor: bigint } | { sweepOf: bigint }

/** What moves on a network, in smallest units of a coin or a token of the catalog there. */
export type Movement = { network: string; asset: string; amount: bigint; route: Route }

/** A transfer before it is signed (EIP-1559): everything that decides its bytes. Fees are in wei for a unit of gas. */
export type Transfer = Movement & { chainId: bigint; nonce: bigint; gas: bigint; maxFee: bigint; priorityFee: bigint }

/** Our addresses on every EVM chain, in the EIP-55 checksum format. */
export type OwnAddresses = {
  /** The wallet that pays out: m/44'/60'/0'/0/0, the first address of the mnemonic in every wallet program. */
  hot: Hex
  /** The address of one transaction: m/44'/60'/1'/0/high/low, where high and low are our id in base 2^31. */
  depositAddress(id: bigint): Hex
}

/** What a movement asks of the chain: coins to somebody, or a token's contract to move them. */
export type ChainCall = { to: Hex; value: bigint; data: Hex }

/** The call that carries a movement out. Fails for an asset that does not move on the network. */
export function callOf(own: OwnAddresses, { network: code, asset, amount, route }: Movement): ChainCall {
  const network = findNetwork(code)
  if (!network) throw new Error(`There is no network ${code}.`)
  const contract = contractOf(network, asset)
  const recipient = recipientOf(own, route)
  return contract === undefined
    ? { to: recipient, value: amount, data: '0x' }
    : { to: contract, value: 0n, data: transferCall(recipient, amount) }
}

function recipientOf(own: OwnAddresses, route: Route): Hex {
  if ('recipient' in route) return route.recipient as Hex
  return 'gasFor' in route ? own.depositAddress(route.gasFor) : own.hot
}

/** The address that a transfer leaves, whose nonce it uses up. */
export const senderOf = (own: OwnAddresses, { route }: Pick<Movement, 'route'>): Hex =>
  'sweepOf' in route ? own.depositAddress(route.sweepOf) : own.hot
