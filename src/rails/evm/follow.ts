import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { keepLooking } from '../keep-looking.ts'
import { nextLook, type Term, underLease } from '../chain/lease.ts'
import { keepNodes } from '../chain/nodes.ts'
import { doubtOf, isNodeFault, keepDoubt, type Reports, type Round } from '../two-nodes.ts'
import { type Compared, compareNodes, firstApart, oursAmong, outgoingText } from './agree.ts'
import { keepLooked, lookAtAddresses } from './by-contract.ts'
import type { Chain } from './chain.ts'
import * as queries from './queries.ts'
import { type Block, readBlocks, readHashes, readHead } from './read-blocks.ts'
import { chargeCosts, sweepOnce } from './sweep/sweep.ts'
import { toRailEvent } from './events.ts'

/** A process that follows a chain: its name among several, and where it reports. */
export type Follower = Omit<Reports, 'charge'> & { chain: Chain; holder: string }

/** The most blocks that one look reads. */
const batch = 20n
/** How many blocks are remembered, and so how deep a reorganization may be before crediting stops by itself. */
const remembered = 5_000n
/** How often a chain that was halted is looked at. */
const haltedPauseMs = 10_000

/** Someone who may follow a chain. */
export const newFollower = (chain: Chain, reports: Omit<Reports, 'charge'>): Follower => ({
  ...reports,
  chain,
  holder: randomToken(9),
})

/**
 * Follows a chain by one step: reads the next blocks and reports what they brought, then makes final what the nodes agree on. Each
 * is one atomic block under the lease's fence. After a reorganization, reverses what was on the old branch.
 */
export function followOnce(follower: Follower): Promise<Round> {
  const { chain, holder } = follower
  const take = (term: Term) => queries.takeLease(chain.db, chain.network.code, { holder, ...term })
  return underLease(chain, take, (lease) => look(follower, lease))
}

async function look(follower: Follower, lease: queries.LeaseRow): Promise<Round> {
  const { db, network } = follower.chain
  if (lease.halted !== null && !lease.is_passing) return 'halted'
  try {
    const round = await step(follower, lease)
    if (round === 'idle') await creditByContract(follower, lease.fence)
    return round
  } catch (error) {
    if (!isNodeFault(error)) throw error
    await db.atomic(async (block) => {
      const [locked] = await queries.lockChain(block, network.code, lease.fence)
      if (locked) keepDoubt(follower, doubts, block, locked, doubtOf('first', error))
    })
    throw error
  }
}

const doubts = { keepDoubt: queries.keepDoubt, halt: queries.halt }

async function step(follower: Follower, lease: queries.LeaseRow): Promise<Round> {
  const { chain } = follower
  const { db, network } = chain
  await chain.chainId()
  if (lease.next_block === null) {
    await begin(chain)
    return 'more'
  }
  const head = await readHead(chain)
  const [tip] = await queries.blocksUpTo(db, network.code, lease.next_block - 1n, 1)
  if (!tip) throw new Error(`Nothing is known of the last block that was read of ${network.code}.`)
  const [standing] = await readHashes(chain, [tip.number])
  // A missing block means nothing: this node may be behind. Only another block in its place reverses one.
  if (standing !== undefined && standing !== tip.hash) return takeBack(follower, lease.fence, tip.number)
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
    if ((await queries.beginAt(block, network.code, first)).length === 0) return
    queries.keepBlocks(block, network.code, [{ number: first, hash, parent: '' }], 0n)
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
    const [locked] = await queries.lockChain(db, code, fence)
    if (locked?.next_block !== blocks[0]?.number) return
    queries.keepBlocks(db, code, blocks, tip - remembered)
    queries.keepOutgoing(db, code, outgoing)
    const back = new Set((await queries.returnArrivals(db, code, moved)).map(idOf))
    const fresh = await queries.insertArrivals(
      db,
      code,
      moved.filter((one) => !back.has(idOf(one))),
    )
    queries.moveOn(db, code, tip + 1n)
    await reportAll(follower, db, 'seen', fresh)
  })
}

/** Makes final what has stood for long enough on both nodes, gives up what has been gone for as long, and shows when they do not agree. */
async function settle(
  follower: Follower,
  lease: queries.LeaseRow,
  { tip, head }: { tip: bigint; head: bigint },
): Promise<Round> {
  const { chain, resume, oneNodeBelow } = follower
  const { db, network, name: rail, clock } = chain
  const { code } = network
  const deep = tip - BigInt(chain.confirmations) + 1n
  const agreedBefore = lease.agreed_block ?? deep
  if (!chain.second && agreedBefore >= deep && lease.unsure_since === null) {
    if ((await queries.dueArrivals(db, code, deep)).length === 0) return 'idle'
  }
  const { agreed, doubt, compared } = await compareNodes(chain, { deep, head, agreedBefore })
  return db.atomic(async (block): Promise<Round> => {
    const [locked] = await queries.lockChain(block, code, lease.fence)
    if (!locked) return 'elsewhere'
    const isHalted = doubt !== undefined && keepDoubt(follower, doubts, block, locked, doubt)
    const isBehind = !doubt && agreed < deep
    if (!doubt) keepNodes(block, code, ['ok', chain.second && (isBehind ? 'behind' : 'ok')], clock.realNow())
    if (!doubt && (locked.unsure_since !== null || locked.halted !== null)) {
      queries.endDoubt(block, code)
      if (locked.halted !== null) resume(block, rail, locked.halted)
    }
    if (isHalted) return 'halted'
    if (compared && !(await takeOver(follower, block, compared))) return 'idle'
    queries.keepAgreed(block, code, agreed)
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
    const [locked] = await queries.lockChain(block, code, fence)
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
  queries.readAgain(block, code, { number: compared.from - 1n, hash: compared.before })
  return false
}

async function reportAll(
  { chain: { name: rail }, report }: Follower,
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

/** Goes back to the last block that the old way and the new one have in common. Stops crediting where none is remembered. */
async function takeBack(follower: Follower, fence: bigint, tip: bigint): Promise<Round> {
  const { chain, halt } = follower
  const { db, network, name: rail, log } = chain
  const { code } = network
  const fork = await commonBlock(chain, tip)
  const reason = `The chain ${code} was reorganized deeper than the blocks that are remembered.`
  await db.atomic(async (block) => {
    if ((await queries.lockChain(block, code, fence)).length === 0) return
    if (fork === undefined) {
      queries.halt(block, code, reason, false)
      return halt(block, rail, reason)
    }
    queries.dropBlocks(block, code, fork)
    const lost = await queries.takeBack(block, code, fork)
    queries.moveOn(block, code, fork + 1n)
    await reportAll(follower, block, 'reversed', lost)
  })
  log.warn(
    { network: code, from: String(tip), to: String(fork ?? '') },
    fork === undefined ? reason : 'A chain was reorganized.',
  )
  return fork === undefined ? 'halted' : 'more'
}

async function commonBlock(chain: Chain, tip: bigint): Promise<bigint | undefined> {
  const { code } = chain.network
  let below = tip
  for (;;) {
    const known = await queries.blocksUpTo(chain.db, code, below, 50)
    if (known.length === 0) return undefined
    const hashes = await readHashes(
      chain,
      known.map(({ number }) => number),
    )
    const found = known.find(({ hash }, index) => hashes[index] === hash)
    if (found) return found.number
    below = (known.at(-1)?.number ?? 0n) - 1n
  }
}

/**
 * Follows a chain until it is stopped: at once while there is more to read, else after a pause, in which what lies on addresses of
 * transactions is brought to the hot wallet. What fails is tried again.
 */
export function keepFollowing(follower: Follower, charge: Reports['charge']): { stop(): Promise<void> } {
  const { chain, holder } = follower
  const { db, log, network, settings } = chain
  return keepLooking({
    look: async () => {
      const round = await followOnce(follower)
      if (round === 'idle') {
        await sweepOnce(chain)
        await chargeCosts(chain, charge)
      }
      if (round !== 'halted') return nextLook(round)
      log.error({ network: network.code }, 'A chain is not followed: it was halted.')
      return haltedPauseMs
    },
    onError: (err) => log.warn({ err, network: network.code }, 'A chain could not be followed; trying again.'),
    everyMs: settings.scanEveryMs,
    release: () => queries.endLease(db, network.code, holder),
  })
}
