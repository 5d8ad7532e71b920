import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import { Refusal } from '../../../platform/lib/refusal.ts'
import { leastOf } from '../../../platform/money/amount.ts'
import { type Chain, nodesOf } from '../chain.ts'
import type { Hex } from '../node.ts'

/** What a transfer offers for its gas, in wei a unit (EIP-1559): at most, and to the block's maker. */
export type Fees = { maxFee: bigint; priorityFee: bigint }

const gwei = 10n ** 9n

/** The operator's ceiling for a unit of gas, in wei. */
const ceilingOf = ({ settings }: Chain): bigint => BigInt(settings.maxFeeGwei) * gwei

/**
 * What gas one transfer may use: as much as the dearest that is known of its kind, with room. To an address without code coins need
 * 21,000 and tokens some 65,000; wallets that are contracts, and tokens behind proxies, need more.
 */
const mostGas = { coin: 60_000n, token: 150_000n }

/** Arbitrum pays for the chain that it is written on by gas, many times that of the transfer (its "gas and fees"). */
const timesOn: Readonly<Record<string, bigint>> = { ARBITRUM: 20n }

const usualGas = ({ network }: Pick<Chain, 'network'>, asset: string): bigint =>
  asset === nativeAsset(network).id ? mostGas.coin : mostGas.token

/** The most gas that a transfer of an asset may use. */
export const gasBound = (chain: Pick<Chain, 'network'>, asset: string): bigint =>
  usualGas(chain, asset) * (timesOn[chain.network.code] ?? 1n)

/** The most gas that a node says that a transfer of an asset will use. Refuses with CONFLICT what is beyond all that are known. */
export async function estimateGas(
  chain: Chain,
  asset: string,
  call: { from: string; to: string; value?: Hex; data?: Hex },
): Promise<bigint> {
  const said = await Promise.all(nodesOf(chain).map((node) => node.ask<string>('eth_estimateGas', call)))
  const gas = said.map(BigInt).reduce(most)
  if (gas > gasBound(chain, asset))
    throw new Refusal('CONFLICT', `A transfer of ${asset} would use ${gas} gas, more than it may.`)
  return gas
}

/** What one payout may cost the hot wallet: that gas at the operator's ceiling, which no candidate of a plan goes beyond. */
export function mostFee(chain: Chain, asset: string): { asset: string; amount: bigint } {
  return { asset: nativeAsset(chain.network).id, amount: ceilingOf(chain) * usualGas(chain, asset) }
}

/**
 * What a transfer should offer now: twice the last block's base fee, which carries it through six full blocks, and what the node
 * says that block makers take. Undefined while even the next block would cost more than the operator's ceiling.
 */
export async function currentFees(chain: Chain): Promise<Fees | undefined> {
  const [block, tip] = await chain.node.askAll<unknown>([
    { method: 'eth_getBlockByNumber', params: ['latest', false] },
    { method: 'eth_maxPriorityFeePerGas', params: [] },
  ])
  const { baseFeePerGas } = block as { baseFeePerGas?: string }
  if (baseFeePerGas === undefined) throw new Error(`${chain.network.code} has no base fee: EIP-1559 is needed.`)
  const base = BigInt(baseFeePerGas)
  const ceiling = ceilingOf(chain)
  const priorityFee = BigInt(tip as string)
  if (base + priorityFee > ceiling) return undefined
  return { maxFee: leastOf([2n * base + priorityFee, ceiling]), priorityFee }
}

/**
 * Dearer fees for the same nonce: what is right now, and at least an eighth more than before, because nodes refuse to replace a
 * transfer for less than a tenth. Undefined where the ceiling does not allow it.
 */
export function raisedFees(chain: Chain, before: Fees, now: Fees | undefined): Fees | undefined {
  const maxFee = most(raised(before.maxFee), now?.maxFee ?? 0n)
  const priorityFee = most(raised(before.priorityFee), now?.priorityFee ?? 0n)
  return maxFee > ceilingOf(chain) ? undefined : { maxFee, priorityFee: leastOf([priorityFee, maxFee]) }
}

const raised = (fee: bigint): bigint => (fee * 9n) / 8n + 1n
const most = (one: bigint, other: bigint): bigint => (one > other ? one : other)
