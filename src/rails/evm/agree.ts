import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { leastOf } from '../../platform/money/amount.ts'
import * as follows from '../chain/follows.sql.ts'
import type { NodeStates } from '../chain/nodes.ts'
import { NoAnswer } from '../json-rpc.ts'
import { type Agreement, type Doubt, doubtOf } from '../two-nodes.ts'
import { type Chain, nodesOf } from './chain.ts'
import type { Node } from './node.ts'
import * as queries from './queries.ts'
import {
  type IncomingTransfer,
  type Outgoing,
  type ReadBlocks,
  readBlocks,
  readHashes,
  readHead,
} from './read-blocks.ts'

/** The most blocks that one look compares. */
const batch = 40n

/** What both nodes report of blocks that were compared now. `before` is the hash of the block before them. */
export type Compared = { from: bigint; to: bigint; before: string } & Pick<ReadBlocks, 'moved' | 'outgoing'>

/**
 * Asks the second node for the block at a depth, and both for what the next blocks below it moved to us and from us: an empty answer of either
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
    const [ours] = await follows.blocksUpTo(db, network.code, deep, 1)
    const [theirs] = await readHashes({ ...chain, node: second }, [deep])
    if (ours?.number !== deep || theirs === undefined) return { ...none, doubt: late(['ok', 'behind']) }
    if (theirs !== ours.hash) return { ...none, doubt: apart(`they have different blocks at ${deep}`) }
    const [from, to] = [agreedBefore + 1n, deep < agreedBefore + batch ? deep : agreedBefore + batch]
    const compared = to < from ? undefined : await compareBlocks(chain, second, { from, to })
    if (typeof compared === 'string') return { ...none, doubt: apart(compared) }
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

/** What both nodes say that blocks moved to us and from us; where they differ, how. */
async function compareBlocks(
  chain: Chain,
  second: Node,
  { from, to }: { from: bigint; to: bigint },
): Promise<Compared | string> {
  const coin = nativeAsset(chain.network).id
  const read = async (node: Node): Promise<ReadBlocks> => {
    const all = await readBlocks({ ...chain, node }, { from, to, coin }, (addresses) => oursAmong(chain, addresses))
    if (BigInt(all.blocks.length) <= to - from) throw new NoAnswer(`It does not have all blocks from ${from} to ${to}.`)
    return all
  }
  const ours = await read(chain.node).catch((error: unknown) => {
    throw new FirstNode('The first node gave no answer.', { cause: error })
  })
  const theirs = await read(second)
  const before = ours.blocks[0]?.parent ?? ''
  if (before !== theirs.blocks[0]?.parent) return `they have different blocks at ${from - 1n}`
  const came = firstApart(ours.moved, theirs.moved, textOf)
  if (came !== undefined) return `they report different transfers to us in the block ${came}`
  const left = firstApart(ours.outgoing, theirs.outgoing, outgoingText)
  if (left !== undefined) return `they report different transfers from us in the block ${left}`
  return { from, to, moved: ours.moved, outgoing: ours.outgoing, before }
}

/** The first block of what only one of two lists has. */
export function firstApart<One extends { block: bigint }>(
  ones: readonly One[],
  others: readonly One[],
  text: (one: One) => string,
): bigint | undefined {
  const [known, reported] = [new Set(ones.map(text)), new Set(others.map(text))]
  const apart = [...ones.filter((one) => !reported.has(text(one))), ...others.filter((one) => !known.has(text(one)))]
  return apart.length === 0 ? undefined : leastOf(apart.map(({ block }) => block))
}

/** The addresses of ours among some. */
export async function oursAmong({ db }: Pick<Chain, 'db'>, addresses: string[]): Promise<Set<string>> {
  return new Set((await queries.ownAddresses(db, addresses)).map(({ address }) => address))
}

const textOf = ({ hash, position, to, asset, amount, block }: IncomingTransfer): string =>
  [hash, position, to, asset, amount, block].join(' ')
export const outgoingText = ({ sender, nonce, hash, block }: Outgoing): string => [sender, nonce, hash, block].join(' ')

/** Whether every node says that a transfer of ours has used a nonce, in a block up to one: what is written down of it alone proves nothing. */
export async function isIncluded(
  chain: Pick<Chain, 'node' | 'second'>,
  { hash, sender, nonce, upTo }: { hash: string; sender: string; nonce: bigint; upTo: bigint },
): Promise<boolean> {
  const said = await Promise.all(
    nodesOf(chain).map((one) =>
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
