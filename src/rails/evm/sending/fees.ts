import { nativeAsset } from '../../../reference/catalog/sync-assets.ts'
import type { Chain } from '../chain.ts'

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

/** What one payout may cost the hot wallet: that gas at the operator's ceiling, which no candidate of a plan goes beyond. */
export function mostFee(chain: Chain, asset: string): { asset: string; amount: bigint } {
  const coin = nativeAsset(chain.network).id
  return { asset: coin, amount: ceilingOf(chain) * (asset === coin ? mostGas.coin : mostGas.token) }
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
  return { maxFee: least(2n * base + priorityFee, ceiling), priorityFee }
}

/**
 * Dearer fees for the same nonce: what is right now, and at least an eighth more than before, because nodes refuse to replace a
 * transfer for less than a tenth. Undefined where the ceiling does not allow it.
 */
export function raisedFees(chain: Chain, before: Fees, now: Fees | undefined): Fees | undefined {
  const maxFee = most(raised(before.maxFee), now?.maxFee ?? 0n)
  const priorityFee = most(raised(before.priorityFee), now?.priorityFee ?? 0n)
  return maxFee > ceilingOf(chain) ? undefined : { maxFee, priorityFee: least(priorityFee, maxFee) }
}

const raised = (fee: bigint): bigint => (fee * 9n) / 8n + 1n
const least = (one: bigint, other: bigint): bigint => (one < other ? one : other)
const most = (one: bigint, other: bigint): bigint => (one > other ? one : other)
