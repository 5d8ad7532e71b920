import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { type Agreement, doubtOf } from '../two-nodes.ts'
import type { Chain } from './chain.ts'
import type { Node } from './node.ts'
import * as queries from './queries.ts'
import { readBlocks, readHashes, readHead } from './read-blocks.ts'
import type { Receipt } from './tokens.ts'

/**
 * Asks the second node for the block at a depth, and for what the blocks of `due` moved to us. The hash proves the chain below, but the
 * first node could have made up a receipt. A chain with one node agrees with itself.
 */
export async function compareNodes(
  chain: Chain,
  { deep, head, due }: { deep: bigint; head: bigint; due: readonly queries.Arrival[] },
): Promise<Agreement> {
  const { db, network, second, confirmations } = chain
  if (!second || deep < 0n) return { agreed: deep }
  try {
    await chain.checkNode(second)
    const height = await readHead({ ...chain, node: second })
    const behind = `the second is at ${height} and the first at ${head}`
    if (height < deep) return { agreed: none, doubt: { reason: behind, isClear: false } }
    const [ours] = await queries.blocksUpTo(db, network.code, deep, 1)
    const [theirs] = await readHashes({ ...chain, node: second }, [deep])
    if (ours?.number !== deep || theirs === undefined)
      return { agreed: none, doubt: { reason: behind, isClear: false } }
    if (theirs !== ours.hash)
      return { agreed: none, doubt: { reason: `they have different blocks at ${deep}`, isClear: true } }
    const missing = await firstMissing(chain, second, due)
    if (missing !== undefined) {
      const reason = `they report different transfers to us in the block ${missing}`
      return { agreed: none, doubt: { reason, isClear: true } }
    }
    return height > head + BigInt(confirmations)
      ? { agreed: deep, doubt: { reason: behind, isClear: false } }
      : { agreed: deep }
  } catch (error) {
    chain.log.warn({ err: error, network: network.code }, 'The second node of a chain gave no clear answer.')
    return { agreed: none, doubt: doubtOf('second', error) }
  }
}

/** No block: nothing is agreed on. */
const none = -1n

/** The first block with a transfer that a node does not report. */
async function firstMissing(chain: Chain, node: Node, due: readonly queries.Arrival[]): Promise<bigint | undefined> {
  const coin = nativeAsset(chain.network).id
  const waiting = due.filter(({ state }) => state === 'seen')
  for (const block of new Set(waiting.map((one) => one.block))) {
    const here = waiting.filter((one) => one.block === block)
    const ours = new Set(here.map(({ address }) => address))
    const { moved } = await readBlocks({ ...chain, node }, { from: block, to: block, coin }, () =>
      Promise.resolve(ours),
    )
    const known = new Set(
      moved.map(({ hash, position, to, asset, amount }) => textOf(hash, position, to, asset, amount)),
    )
    const isThere = (one: queries.Arrival): boolean =>
      known.has(textOf(one.hash, one.position, one.address, one.asset, one.amount))
    if (!here.every(isThere)) return block
  }
  return undefined
}

const textOf = (...parts: (string | number | bigint)[]): string => parts.join(' ')

/**
 * Whether the second node says the same of a transfer of ours. A payout that the first one wrongly calls failed would be sent again.
 * True where there is one node.
 */
export async function isConfirmed({ second }: Pick<Chain, 'second'>, receipt: Receipt): Promise<boolean> {
  if (!second) return true
  const theirs = await second.ask<Receipt | null>('eth_getTransactionReceipt', receipt.transactionHash)
  return (
    theirs !== null &&
    theirs.blockHash === receipt.blockHash &&
    theirs.status === receipt.status &&
    theirs.logs.length === receipt.logs.length
  )
}

/** The same of the transfer of somebody's that has used a nonce of ours. */
export async function isIncluded({ second }: Pick<Chain, 'second'>, hash: string, upTo: bigint): Promise<boolean> {
  if (!second) return true
  const theirs = await second.ask<Receipt | null>('eth_getTransactionReceipt', hash)
  return theirs !== null && BigInt(theirs.blockNumber) <= upTo
}
