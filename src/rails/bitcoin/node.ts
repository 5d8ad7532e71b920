import { type Node, NodeError, Nonsense } from '../json-rpc.ts'
import { isExactNumber, plainDecimal } from '../../platform/lib/json.ts'

/** The height of a node's best block. */
export async function readHeight(node: Node): Promise<bigint> {
  const read = await node.ask('getblockcount')
  if (!isExactNumber(read) || !/^\d{1,9}$/.test(read.text)) throw new Nonsense('It has no block count.')
  return BigInt(read.text)
}

/** The hash of the block at a height; undefined where the node has none so high. */
export async function readHash(node: Node, height: bigint): Promise<string | undefined> {
  let read: unknown
  try {
    read = await node.ask('getblockhash', Number.parseInt(String(height), 10))
  } catch (error) {
    // Core says -8, others -1: out of range. Whatever a node says no to, it has not confirmed.
    if (error instanceof NodeError) return undefined
    throw error
  }
  if (!isHash(read)) throw new Nonsense('It has no hash for a block.')
  return read
}

export const isHash = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value)

/** A fee rate in coins for 1,000 bytes as smallest units for one, rounded up; undefined where the node gives none. */
export function rateIn(value: unknown, decimals = 8): bigint | undefined {
  const text = isExactNumber(value) ? plainDecimal(value) : undefined
  const [, whole = '0', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text ?? '') ?? []
  if (text === undefined || text.startsWith('-')) return undefined
  const perThousand = BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
  return perThousand === 0n ? undefined : (perThousand + 999n) / 1000n
}
