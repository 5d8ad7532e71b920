import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import {
  type ChainFollower,
  followStep,
  goBack,
  keepAgreement,
  keepFollowing,
  rememberedBlocks,
  type Undoing,
} from '../chain/follow.ts'
import * as follows from '../chain/follows.sql.ts'
import type { Follow } from '../chain/follows.sql.ts'
import type { Reports, Round } from '../two-nodes.ts'
import { type Compared, compareNodes, firstApart, oursAmong, outgoingText } from './agree.ts'
import { keepLooked, lookAtAddresses } from './by-contract.ts'
import type { Chain } from './chain.ts'
import * as queries from './queries.ts'
import { type Block, readBlocks, readHashes, readHead } from './read-blocks.ts'
import { chargeCosts, sweepOnce } from './sweep/sweep.ts'
import { toRailEvent } from './events.ts'

/** A process that follows a chain of the EVM. */
export type Follower = ChainFollower<Chain>

/** The most blocks that one look reads. */
const batch = 20n

/**
 * Follows a chain by one step: reads the next blocks and reports what they brought, then makes final what the nodes agree on. Each
 * is one atomic block under the lease's fence. After a reorganization, reverses what was on the old branch.
 */
export const followOnce = (follower: Follower): Promise<Round> =>
  followStep(follower, async (lease) => {
    const round = await step(follower, lease)
    if (round === 'idle') await creditByContract(follower, lease.fence)
    return round
  })

async function step(follower: Follower, lease: Follow): Promise<Round> {
  const { chain } = follower
  const { db, network } = chain
  await chain.chainId()
  if (lease.next_block === null) {
    await begin(chain)
    return 'more'
  }
  const head = await readHead(chain)
  const [tip] = await follows.blocksUpTo(db, network.code, lease.next_block - 1n, 1)
  if (!tip) throw new Error(`Nothing is known of the last block that was read of ${network.code}.`)
  const [standing] = await readHashes(chain, [tip.number])
  // A missing block means nothing: this node may be behind. Only another block in its place reverses one.
  if (standing !== undefined && standing !== tip.hash) {
    return goBack(follower, { fence: lease.fence, tip: tip.number }, undoing(follower.chain, follower.report))
  }
  if (standing === undefined || head <= tip.number) return settle(follower, lease, { tip: tip.number, head })

  const to = head < tip.number + batch ? head : tip.number + batch
  const coin = nativeAsset(network).id
  const read = await readBlocks(chain, { from: tip.number + 1n, to, coin }, (addresses) => oursAmong(chain, addresses))
  const [first] = read.blocks
  if (!first || first.parent !== tip.hash) return 'more'
  await keep(follower, lease.fence, read)
  const last = read.blocks.at(-1)?.number ?? tip.number
  const round = await settle(follower, lease, { tip: last, head })
  return round === 'idle' && last < head ? 'more' : round
}

/**
 * Begins to follow a chain, once: with the block that is as deep as final transfers are. What came before is in the opening
 * balance, everything after is reported.
 */
export async function begin(chain: Chain): Promise<void> {
  const { db, network, confirmations } = chain
  const deep = (await readHead(chain)) - BigInt(confirmations) + 1n
  const first = deep > 0n ? deep : 0n
  const [hash] = await readHashes(chain, [first])
  if (hash === undefined) throw new Error(`The node of ${network.code} has no block ${first}.`)
  await db.atomic(async (block) => {
    if ((await follows.beginAt(block, network.code, first)).length === 0) return
    follows.keepBlocks(block, network.code, [{ number: first, hash }], 0n)
  })
}

async function keep(
  follower: Follower,
  fence: bigint,
  { blocks, moved, outgoing }: Awaited<ReturnType<typeof readBlocks>>,
): Promise<void> {
  const { chain } = follower
  const { code } = chain.network
  const tip = (blocks.at(-1) as Block).number
  await chain.db.atomic(async (db) => {
    const [locked] = await follows.lockFollow(db, code, fence)
    if (locked?.next_block !== blocks[0]?.number) return
    follows.keepBlocks(db, code, blocks, tip - rememberedBlocks)
    queries.keepOutgoing(db, code, outgoing)
    const back = new Set((await queries.returnArrivals(db, code, moved)).map(idOf))
    const fresh = await queries.insertArrivals(
      db,
      code,
      moved.filter((one) => !back.has(idOf(one))),
    )
    follows.moveOn(db, code, tip + 1n)
    await reportAll(follower, db, 'seen', fresh)
  })
}

/** Makes final what has stood for long enough on both nodes, gives up what has been gone for as long, and shows when they do not agree. */
async function settle(follower: Follower, lease: Follow, { tip, head }: { tip: bigint; head: bigint }): Promise<Round> {
  const { chain, oneNodeBelow } = follower
  const { db, network } = chain
  const { code } = network
  const deep = tip - BigInt(chain.confirmations) + 1n
  const agreedBefore = lease.agreed_block ?? deep
  if (!chain.second && agreedBefore >= deep && lease.unsure_since === null) {
    if ((await queries.dueArrivals(db, code, deep)).length === 0) return 'idle'
  }
  const { agreed, doubt, compared } = await compareNodes(chain, { deep, head, agreedBefore })
  return db.atomic(async (block): Promise<Round> => {
    const [locked] = await follows.lockFollow(block, code, lease.fence)
    if (!locked) return 'elsewhere'
    const isBehind = !doubt && agreed < deep
    if (keepAgreement(follower, block, locked, { doubt, isBehind })) return 'halted'
    if (compared && !(await takeOver(follower, block, compared))) return 'idle'
    follows.keepAgreed(block, code, agreed)
    const due = await queries.dueArrivals(block, code, deep)
    const sure = due.filter((one) => one.block <= agreed || one.amount < oneNodeBelow(one.asset))
    await makeFinal(follower, block, sure)
    await reportAll(follower, block, 'reversed', await queries.giveUp(block, code, agreed))
    return isBehind ? 'more' : 'idle'
  })
}

/** Credits coins that contracts have sent to addresses of orders: both nodes say so of a block that is final. */
async function creditByContract(follower: Follower, fence: bigint): Promise<void> {
  const { chain } = follower
  const { code } = chain.network
  const looked = await lookAtAddresses(chain)
  if (!looked) return
  await chain.db.atomic(async (block) => {
    const [locked] = await follows.lockFollow(block, code, fence)
    if (locked?.halted !== null || (locked.agreed_block ?? -1n) < looked.block) return
    const fresh = await queries.insertArrivals(block, code, await keepLooked(block, chain, looked))
    await reportAll(follower, block, 'seen', fresh)
    await makeFinal(follower, block, fresh)
  })
}

async function makeFinal(follower: Follower, block: Atomic, arrivals: readonly queries.Arrival[]): Promise<void> {
  const { network, clock } = follower.chain
  const final = await queries.finalize(
    block,
    arrivals.map(({ id }) => id),
  )
  if (final.length > 0) queries.fillPurses(block, network.code, final, clock.realNow())
  await reportAll(follower, block, 'final', final)
}

/**
 * Brings what is known of blocks to what both nodes report now: an earlier answer of the first one may have been wrong. Where it was
 * about what left us, the blocks are read again, and this is false.
 */
async function takeOver(follower: Follower, block: Atomic, compared: Compared): Promise<boolean> {
  const { network, log } = follower.chain
  const { code } = network
  await reportAll(follower, block, 'reversed', await queries.reverseInvented(block, code, compared))
  await reportAll(follower, block, 'seen', await queries.insertArrivals(block, code, compared.moved))
  const left = await queries.outgoingIn(block, code, compared)
  if (firstApart(left, compared.outgoing, outgoingText) === undefined) return true
  log.error({ network: code }, 'The first node did not report what left us; its blocks are read again.')
  const before = { number: compared.from - 1n, hash: compared.before }
  follows.readAgain(block, code, before)
  queries.dropOutgoing(block, code, before.number)
  return false
}

async function reportAll(
  { chain: { name: rail }, report }: Pick<Follower, 'chain' | 'report'>,
  block: Atomic,
  status: 'seen' | 'final' | 'reversed',
  arrivals: readonly queries.Arrival[],
): Promise<void> {
  if (arrivals.length === 0) return
  await report(
    block,
    arrivals.map((one) => ({ ...toRailEvent(one, status), rail })),
  )
}

const idOf = ({ hash, position }: { hash: string; position: number }): string => `${hash}:${position}`

/** How a chain goes back: what its blocks brought is reversed, and what they took from our wallets is forgotten. */
export const undoing = (chain: Chain, report: Reports['report']): Undoing => ({
  hashesAt: (numbers) => readHashes(chain, numbers),
  undoAbove: async (db, block) => {
    queries.dropOutgoing(db, chain.network.code, block)
    await reportAll({ chain, report }, db, 'reversed', await queries.takeBack(db, chain.network.code, block))
  },
})

/** Follows a chain until it is stopped. In its pauses, what lies on addresses of transactions is brought to the hot wallet. */
export const keepFollowingChain = (follower: ChainFollower<Chain, Reports>): { stop(): Promise<void> } =>
  keepFollowing(follower, {
    everyMs: follower.chain.settings.scanEveryMs,
    look: async () => {
      const round = await followOnce(follower)
      if (round === 'idle') {
        await sweepOnce(follower.chain)
        await chargeCosts(follower.chain, follower.charge)
      }
      return round
    },
  })
