import type { Reports, Round } from '../two-nodes.ts'
import {
  type ChainFollower,
  followStep,
  goBack,
  keepAgreement,
  keepFollowing,
  newFollower,
  rememberedBlocks,
  type Undoing,
} from '../chain/follow.ts'
import * as follows from '../chain/follows.sql.ts'
import type { Follow } from '../chain/follows.sql.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { compareNodes } from './agree.ts'
import type { Chain } from './chain.ts'
import * as coins from './coins.sql.ts'
import { toRailEvent } from './events.ts'
import { lookAtMempool, type Mempool, newMempool, replacedBy } from './mempool.ts'
import { readHash, readHeight } from './node.ts'
import * as queries from './queries.ts'
import { changesOf, type NumberedBlock, readBlocks, readWaiting } from './read-blocks.ts'
import { learnAttempts } from './sending/learn-attempts.ts'
import { chargeCosts, endSends, sendOnce } from './sending/send.ts'

/** A process that follows a chain of Bitcoin's family. */
export type Follower = ChainFollower<Chain, Reports> & { mempool: Mempool }

/** The most blocks that one look reads. */
const batch = 10n

export const newBitcoinFollower = (chain: Chain, reports: Reports): Follower => ({
  ...newFollower(chain, reports),
  mempool: newMempool(),
})

/**
 * Follows a chain by one step: reads the next blocks and reports what they brought, then makes final what both nodes have deep
 * enough. Each is one atomic block under the lease's fence. With nothing more to read, looks at the mempool and sends what is due.
 */
export const followOnce = (follower: Follower): Promise<Round> => followStep(follower, (lease) => step(follower, lease))

/** Follows a chain until it is stopped. */
export const keepFollowingChain = (follower: Follower): { stop(): Promise<void> } =>
  keepFollowing(follower, { everyMs: follower.chain.everyMs, look: () => followOnce(follower) })

async function step(follower: Follower, lease: Follow): Promise<Round> {
  const { chain } = follower
  const { db, network, node } = chain
  await chain.checkNode(node)
  if (lease.next_block === null) {
    await begin(chain)
    return 'more'
  }
  const head = await readHeight(node)
  const [tip] = await follows.blocksUpTo(db, network.code, lease.next_block - 1n, 1)
  if (!tip) throw new Error(`Nothing is known of the last block that was read of ${network.code}.`)
  const hash = await readHash(node, tip.number)
  // A missing block means nothing: this node may be behind. Only another block in its place reverses one.
  if (hash !== undefined && hash !== tip.hash) {
    return goBack(follower, { fence: lease.fence, tip: tip.number }, undoing(chain))
  }
  if (hash === undefined) return settle(follower, lease, { tip, head })

  const to = head < tip.number + batch ? head : tip.number + batch
  const blocks = await readBlocks(chain, { from: tip.number + 1n, to, parent: tip.hash })
  const last = blocks.at(-1) ?? tip
  if (blocks.length > 0) await keep(follower, lease.fence, blocks)
  const round = await settle(follower, lease, { tip: last, head })
  if (round !== 'idle') return round
  if (last.number < head) return blocks.length > 0 ? 'more' : 'idle'
  const waiting = await lookAtMempool(chain, follower.mempool, {
    fence: lease.fence,
    tip: last,
    report: follower.report,
  })
  await sendOnce(chain, { fence: lease.fence, waiting })
  await chargeCosts(chain, follower.charge)
  return 'idle'
}

/**
 * Begins to follow a chain, once: with the head, or with the block that the settings name. What our addresses got between that block
 * and the head is the opening balance; everything after is reported.
 */
export async function begin(chain: Chain): Promise<void> {
  const { db, network, node, firstBlock } = chain
  const head = await readHeight(node)
  const from = firstBlock === undefined || firstBlock > head ? head : firstBlock
  const opening: Awaited<ReturnType<typeof changesOf>>[] = []
  let parent: string | undefined
  for (let number = from; number <= head && firstBlock !== undefined; number += 1n) {
    const before = parent ?? (number === 0n ? '0'.repeat(64) : await readHash(node, number - 1n))
    const [block] = await readBlocks(chain, { from: number, to: number, parent: before ?? '' })
    if (!block) throw new Error(`The chain ${network.code} changed while its first blocks were read.`)
    opening.push(await changesOf(chain, [block]))
    parent = block.hash
  }
  const hash = parent ?? (await readHash(node, head))
  if (hash === undefined) throw new Error(`The node of ${network.code} has no block ${head}.`)
  await db.atomic(async (block) => {
    if ((await follows.beginAt(block, network.code, head)).length === 0) return
    follows.keepBlocks(block, network.code, [{ number: head, hash }], 0n)
    for (const changes of opening) {
      await coins.insertCoins(
        block,
        network.code,
        changes.coins.map((coin) => ({ ...coin, isOwn: true })),
      )
      coins.spendCoins(block, network.code, changes.spends)
    }
    const { coinbaseMaturity: maturity } = chain.rules
    await coins.finalize(block, network.code, { deep: head, agreed: head, oneNodeBelow: 0n, maturity })
    queries.keepOpening(block, network.code)
  })
}

async function keep(follower: Follower, fence: bigint, blocks: NumberedBlock[]): Promise<void> {
  const { chain } = follower
  const { db, network } = chain
  const { coins: incoming, spends } = await changesOf(chain, blocks)
  const waiting = await coins.waitingCoins(db, network.code)
  const tip = (blocks.at(-1) as NumberedBlock).number
  await db.atomic(async (block) => {
    const [locked] = await follows.lockFollow(block, network.code, fence)
    if (locked?.next_block !== blocks[0]?.number) return
    follows.keepBlocks(block, network.code, blocks, tip - rememberedBlocks)
    const placed = new Set((await coins.placeCoins(block, network.code, incoming)).map(outpointOf))
    const fresh = await coins.insertCoins(
      block,
      network.code,
      incoming.filter((coin) => !placed.has(outpointOf(coin))),
    )
    coins.spendCoins(block, network.code, spends)
    const replaced = replacedBy(
      blocks.flatMap(({ transfers }) => transfers),
      waiting,
    )
    const lost = await coins.reverseWaiting(block, network.code, replaced)
    follows.moveOn(block, network.code, tip + 1n)
    await reportCoins(follower, block, [
      ...fresh.map((coin) => ({ coin, status: 'seen' as const })),
      ...lost.map((coin) => ({ coin, status: 'reversed' as const })),
    ])
  })
}

/** Makes final what both nodes have deep enough, and shows when they do not agree. */
async function settle(
  follower: Follower,
  lease: Follow,
  { tip, head }: { tip: { number: bigint }; head: bigint },
): Promise<Round> {
  const { chain } = follower
  const { db, network, rules, confirmations } = chain
  const deep = tip.number - BigInt(confirmations) + 1n
  const { agreed, doubt } = await compareNodes(chain, {
    deep,
    head,
    firstBlock: lease.first_block ?? 0n,
    agreedBefore: lease.agreed_block ?? 0n,
  })
  const waiting = tip.number >= head ? await waitingGone(chain, tip.number) : undefined
  const unclear = await learnAttempts(chain, agreed)
  return db.atomic(async (block): Promise<Round> => {
    const [locked] = await follows.lockFollow(block, network.code, lease.fence)
    if (!locked) return 'elsewhere'
    if (keepAgreement(follower, block, locked, { doubt })) return 'halted'
    const { coinbaseMaturity: maturity } = rules
    const oneNodeBelow = follower.oneNodeBelow(rules.asset)
    const final = await coins.finalize(block, network.code, { deep, agreed, oneNodeBelow, maturity })
    const lost = waiting ? await coins.giveUp(block, network.code, agreed, waiting) : []
    endSends(chain, block, { upTo: agreed, unclear })
    await reportCoins(follower, block, [
      ...final.map((coin) => ({ coin, status: 'final' as const })),
      ...lost.map((coin) => ({ coin, status: 'reversed' as const })),
    ])
    return 'idle'
  })
}

/** The transfers that wait for a block, where something final has disappeared; undefined where a block may have them by now. */
async function waitingGone({ db, network, node }: Chain, tip: bigint): Promise<string[] | undefined> {
  if ((await coins.goneCoins(db, network.code)).length === 0) return undefined
  const waiting = await readWaiting(node)
  return (await readHash(node, tip + 1n)) === undefined ? waiting : undefined
}

async function reportCoins(
  { chain, report }: Follower,
  db: Atomic,
  all: { coin: coins.Coin; status: 'seen' | 'final' | 'reversed' }[],
): Promise<void> {
  const events = all.filter(({ coin }) => !coin.is_own)
  if (events.length === 0) return
  const { name: rail, rules } = chain
  await report(
    db,
    events.map(({ coin, status }) => ({ ...toRailEvent(coin, status, rules.asset), rail })),
  )
}

const outpointOf = ({ txid, vout }: { txid: string; vout: number }): string => `${txid}:${vout}`

/** How a chain goes back: what came of its blocks waits for another one. */
export const undoing = ({ node, network }: Pick<Chain, 'node' | 'network'>): Undoing => ({
  hashesAt: async (numbers) => {
    const hashes = []
    for (const number of numbers) hashes.push(await readHash(node, number))
    return hashes
  },
  undoAbove: async (db, block) => coins.undoAbove(db, network.code, block),
})
