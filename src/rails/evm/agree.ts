import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import type { NodeStates } from '../chain/nodes.ts'
import { NoAnswer } from '../json-rpc.ts'
import { type Agreement, type Doubt, doubtOf } from '../two-nodes.ts'
import type { Chain } from './chain.ts'
import type { Node } from './node.ts'
import * as queries from './queries.ts'
import { type IncomingTransfer, readBlocks, readHashes, readHead } from './read-blocks.ts'
import type { Receipt } from './tokens.ts'

/** The most blocks that one look compares. */
const batch = 40n

/** What both nodes report of blocks that were compared now. */
export type Compared = { from: bigint; to: bigint; moved: IncomingTransfer[] }

/**
 * Asks the second node for the block at a depth, and both for what the next blocks below it moved to us: an empty answer of either
 * proves nothing. No block is left out, however long the second one was away: it is asked for the next ones in each look, until it has
 * caught up. A chain with one node agrees with itself.
 */
export async function compareNodes(
  chain: Chain,
  { deep, head, agreedBefore }: { deep: bigint; head: bigint; agreedBefore: bigint },
): Promise<Agreement & { compared?: Compared }> {
  const { db, network, second, confirmations } = chain
  if (!second || deep < 0n) return { agreed: deep }
  const none = { agreed: agreedBefore }
  try {
    await chain.checkNode(second)
    const height = await readHead({ ...chain, node: second })
    const behind = `the second is at ${height} and the first at ${head}`
    const late = (nodes: NodeStates) => ({ reason: behind, isClear: false, nodes })
    if (height < deep) return { ...none, doubt: late(['ok', 'behind']) }
    const [ours] = await queries.blocksUpTo(db, network.code, deep, 1)
    const [theirs] = await readHashes({ ...chain, node: second }, [deep])
    if (ours?.number !== deep || theirs === undefined) return { ...none, doubt: late(['ok', 'behind']) }
    if (theirs !== ours.hash) return { ...none, doubt: apart(`they have different blocks at ${deep}`) }
    const [from, to] = [agreedBefore + 1n, deep < agreedBefore + batch ? deep : agreedBefore + batch]
    const compared = to < from ? undefined : await compareBlocks(chain, second, { from, to })
    if (typeof compared === 'bigint') {
      return { ...none, doubt: apart(`they report different transfers to us in the block ${compared}`) }
    }
    const agreement = { agreed: to < from ? deep : to, ...(compared ? { compared } : {}) }
    return height > head + BigInt(confirmations) ? { ...agreement, doubt: late(['behind', 'ok']) } : agreement
  } catch (error) {
    chain.log.warn({ err: error, network: network.code }, 'A node of a chain gave no clear answer.')
    return { ...none, doubt: doubtOf(error instanceof FirstNode ? 'first' : 'second', causeOf(error)) }
  }
}

const apart = (reason: string): Doubt => ({ reason, isClear: true, nodes: ['disagrees', 'disagrees'] })

/** The first node, not the second one, gave no answer while both were compared. */
class FirstNode extends Error {}
const causeOf = (error: unknown): unknown => (error instanceof FirstNode ? error.cause : error)

/** What both nodes say that blocks moved to us; the first block where they differ. */
async function compareBlocks(
  chain: Chain,
  second: Node,
  { from, to }: { from: bigint; to: bigint },
): Promise<Compared | bigint> {
  const coin = nativeAsset(chain.network).id
  const read = async (node: Node): Promise<IncomingTransfer[]> => {
    const { blocks, moved } = await readBlocks({ ...chain, node }, { from, to, coin }, (addresses) =>
      oursAmong(chain, addresses),
    )
    if (BigInt(blocks.length) <= to - from) throw new NoAnswer(`It does not have all blocks from ${from} to ${to}.`)
    return moved
  }
  const moved = await read(chain.node).catch((error: unknown) => {
    throw new FirstNode('The first node gave no answer.', { cause: error })
  })
  const theirs = await read(second)
  const [known, reported] = [new Map(moved.map(entryOf)), new Map(theirs.map(entryOf))]
  const differing = [
    ...moved.filter((one) => !reported.has(textOf(one))),
    ...theirs.filter((one) => !known.has(textOf(one))),
  ]
  const [block] = differing.map((one) => one.block).toSorted((one, other) => (one < other ? -1 : 1))
  return block ?? { from, to, moved }
}

/** The addresses of ours among some. */
export async function oursAmong({ db }: Pick<Chain, 'db'>, addresses: string[]): Promise<Set<string>> {
  return new Set((await queries.ownAddresses(db, addresses)).map(({ address }) => address))
}

const textOf = ({ hash, position, to, asset, amount, block }: IncomingTransfer): string =>
  [hash, position, to, asset, amount, block].join(' ')
const entryOf = (one: IncomingTransfer): [string, IncomingTransfer] => [textOf(one), one]

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

/** Whether every node says that a transfer of ours has used a nonce, in a block up to one: what is written down of it alone proves nothing. */
export async function isIncluded(
  { node, second }: Pick<Chain, 'node' | 'second'>,
  { hash, sender, nonce, upTo }: { hash: string; sender: string; nonce: bigint; upTo: bigint },
): Promise<boolean> {
  const said = await Promise.all(
    (second ? [node, second] : [node]).map((one) =>
      one.ask<{ from: string; nonce: string; blockNumber: string | null } | null>('eth_getTransactionByHash', hash),
    ),
  )
  return said.every(
    (one) =>
      one?.from.toLowerCase() === sender &&
      BigInt(one.nonce) === nonce &&
      one.blockNumber !== null &&
      BigInt(one.blockNumber) <= upTo,
  )
}
