import { NodeError } from '../../json-rpc.ts'
import type { Chain } from '../chain.ts'
import { rateIn } from '../node.ts'

/**
 * How large one payout's part of a transfer may be, in virtual bytes, at the highest rate: room for six inputs. A batch shares what its
 * payments have, so most cost a fraction.
 */
const mostSize = 500n

/** What one payout may cost at most. It is reserved along with the amount. */
export const mostFee = ({ mostRate }: Pick<Chain, 'mostRate'>): bigint => mostRate * mostSize

/**
 * What a virtual byte should cost for a place in one of the next three blocks, as the node estimates it; between the least that nodes
 * relay and the operator's ceiling. Where a node cannot estimate, what is usual on the chain.
 */
export async function currentRate({ node, rules, mostRate }: Chain): Promise<bigint> {
  const [relayed, estimated] = [await relayRate(node), await estimate(node)]
  const least = largest(rules.rate.least, relayed ?? 0n)
  const rate = largest(least, estimated ?? rules.rate.usual)
  return rate < mostRate ? rate : mostRate
}

async function estimate(node: Chain['node']): Promise<bigint | undefined> {
  try {
    const read = await node.ask('estimatesmartfee', 3)
    // Core and its relatives name it feerate; some older nodes, fee.
    const { feerate, fee } = (read ?? {}) as { feerate?: unknown; fee?: unknown }
    return rateIn(feerate ?? fee)
  } catch (error) {
    if (error instanceof NodeError) return undefined
    throw error
  }
}

async function relayRate(node: Chain['node']): Promise<bigint | undefined> {
  const read = (await node.ask('getnetworkinfo')) as { relayfee?: unknown } | null
  return rateIn(read?.relayfee)
}

const largest = (one: bigint, other: bigint): bigint => (one > other ? one : other)

/** What one payment of a transfer bears of its fee: all alike, and what does not divide falls on the first ones. */
export const feeShare = (fee: bigint, { count, number }: { count: bigint; number: bigint }): bigint =>
  fee / count + (number < fee % count ? 1n : 0n)
