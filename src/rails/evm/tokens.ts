import { listings } from '../../reference/catalog/asset.ts'
import type { Network } from '../../reference/catalog/network.ts'
import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import type { Hex } from './node.ts'

/** The first topic of a token's log of a transfer: Keccak-256 of `Transfer(address,address,uint256)` (ERC-20). */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** The largest amount that the books can hold. */
const mostAmount = 10n ** 38n

/** A log as a node gives it. */
export type RawLog = {
  address: string
  topics: string[]
  data: string
  blockHash: string
  transactionHash: string
  logIndex: string
  removed?: boolean
}

/** A transfer of tokens that a contract of the catalog has logged. Addresses are in lower case. */
export type TokenTransfer = { asset: string; from: string; to: string; amount: bigint }

/** The catalog's contracts on a chain, in lower case, with their assets. A contract that is not here is not money. */
export const contractsOn = ({ code }: Network): Map<string, string> =>
  new Map(
    listings.flatMap(({ network, asset }) =>
      network.code === code && network.contract !== null ? [[network.contract.toLowerCase(), asset.id] as const] : [],
    ),
  )

/** Whether an asset is a chain's coin or a token of the catalog there. */
export const movesOn = (network: Network, asset: string): boolean =>
  asset === nativeAsset(network).id || [...contractsOn(network).values()].includes(asset)

/** The contract of an asset; undefined for the chain's own coin. Refuses, as a fault, an asset that does not live there. */
export function contractOf(network: Network, asset: string): Hex | undefined {
  if (asset === nativeAsset(network).id) return undefined
  for (const [contract, id] of contractsOn(network)) if (id === asset) return contract as Hex
  throw new Error(`${asset} does not move on ${network.code}.`)
}

/** Reads a log as a transfer of a token of ours; undefined for every other log, of whatever look. */
export function readTransfer(contracts: Map<string, string>, log: RawLog): TokenTransfer | undefined {
  const asset = contracts.get(log.address.toLowerCase())
  const [topic, from = '', to = '', ...rest] = log.topics
  const isTransfer = topic === transferTopic && isSlot(from) && isSlot(to) && rest.length === 0 && isSlot(log.data)
  if (asset === undefined || !isTransfer || log.removed) return undefined
  const amount = BigInt(log.data)
  if (amount === 0n || amount >= mostAmount) return undefined
  return { asset, from: addressIn(from), to: addressIn(to), amount }
}

const isSlot = (text: string): boolean => /^0x[0-9a-f]{64}$/i.test(text)
const addressIn = (slot: string): string => `0x${slot.slice(26).toLowerCase()}`

/** The data of a call `transfer(address,uint256)` (ERC-20). */
export const transferCall = (to: string, amount: bigint): Hex =>
  `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${amount.toString(16).padStart(64, '0')}`

/** The data of a call `balanceOf(address)` (ERC-20). */
export const balanceCall = (holder: string): Hex => `0x70a08231${holder.slice(2).toLowerCase().padStart(64, '0')}`

/** What a chain says of a transfer that it carried out. */
export type Receipt = {
  transactionHash: string
  blockNumber: string
  blockHash: string
  status: string
  gasUsed: string
  effectiveGasPrice: string
  /** What chains above another one take for being written there (OP Stack). */
  l1Fee?: string
  logs: RawLog[]
}
