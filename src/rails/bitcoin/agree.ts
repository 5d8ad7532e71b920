import { type Agreement, doubtOf } from '../two-nodes.ts'
import type { Chain } from './chain.ts'
import { readHash, readHeight } from './node.ts'
import { blocksUpTo } from '../chain/follows.sql.ts'

/**
 * Asks the second node for the block at a depth. Equal hashes there prove equal chains below. A chain with one node agrees with
 * itself. Of blocks below the one that we began with we know nothing, and need nothing.
 */
export async function compareNodes(
  chain: Chain,
  { deep, head, firstBlock, agreedBefore }: { deep: bigint; head: bigint; firstBlock: bigint; agreedBefore: bigint },
): Promise<Agreement> {
  const { db, network, second, confirmations } = chain
  if (!second || deep < 0n) return { agreed: deep }
  const none = { agreed: agreedBefore }
  try {
    await chain.checkNode(second)
    const height = await readHeight(second)
    const at = height < deep ? height : deep
    if (deep < firstBlock && height >= deep) return { agreed: deep }
    const [ours] = await blocksUpTo(db, network.code, at, 1)
    if (ours?.number !== at)
      return { ...none, doubt: { reason: behind(height, head), isClear: false, nodes: ['ok', 'behind'] } }
    const theirs = await readHash(second, at)
    if (theirs !== undefined && theirs !== ours.hash) {
      return {
        ...none,
        doubt: { reason: `they have different blocks at ${at}`, isClear: true, nodes: ['disagrees', 'disagrees'] },
      }
    }
    const depth = BigInt(confirmations)
    if (theirs === undefined || height < deep)
      return { ...none, doubt: { reason: behind(height, head), isClear: false, nodes: ['ok', 'behind'] } }
    if (height > head + depth) {
      return {
        agreed: at,
        doubt: {
          reason: `the first is at ${head} and the second at ${height}`,
          isClear: false,
          nodes: ['behind', 'ok'],
        },
      }
    }
    return { agreed: at }
  } catch (error) {
    chain.log.warn({ err: error, network: network.code }, 'The second node of a chain gave no clear answer.')
    return { ...none, doubt: doubtOf('second', error) }
  }
}

const behind = (height: bigint, head: bigint): string => `the second is at ${height} and the first at ${head}`
