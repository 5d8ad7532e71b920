import { nativeAsset } from '../../reference/catalog/sync-assets.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { keepLooking } from '../keep-looking.ts'
import { keepDoubt, type Reports, type Round } from '../two-nodes.ts'
import { compareNodes } from './agree.ts'
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
/** How long a process that fell silent keeps a chain, in real milliseconds. */
const leaseMs = 20_000
/** How often a chain that was halted is looked at. */
const haltedPauseMs = 60_000

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
export async function followOnce(follower: Follower): Promise<Round> {
  const { chain, holder } = follower
  const { db, clock, network } = chain
  const now = clock.realNow()
  const [lease] = await queries.takeLease(db, network.code, { holder, now, until: after(now, leaseMs) })
  if (!lease) return 'elsewhere'
  if (lease.halted !== null && !lease.is_passing) return 'halted'
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
  if (standing === undefined || head <= tip.number) return settle(follower, lease.fence, { tip: tip.number, head })

  const to = head < tip.number + batch ? head : tip.number + batch
  const coin = nativeAsset(network).id
  const read = await readBlocks(chain, { from: tip.number + 1n, to, coin }, (addresses) => oursAmong(chain, addresses))
  const [first] = read.blocks
  if (!first || first.parent !== tip.hash) return 'more'
  await keep(follower, lease.fence, read)
  const last = read.blocks.at(-1)?.number ?? tip.number
  const round = await settle(follower, lease.fence, { tip: last, head })
  return round === 'idle' && last < head ? 'more' : round
}

async function oursAmong({ db }: Chain, addresses: string[]): Promise<Set<string>> {
  return new Set((await queries.ownAddresses(db, addresses)).map(({ address }) => address))
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
  { chain, report }: Follower,
  fence: bigint,
  { blocks, moved, outgoing }: Awaited<ReturnType<typeof readBlocks>>,
): Promise<void> {
  const { network, name: rail } = chain
  const { code } = network
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
    if (fresh.length > 0)
      await report(
        db,
        fresh.map((one) => ({ ...toRailEvent(one, 'seen'), rail })),
      )
  })
}

/** Makes final what has stood for long enough on both nodes, gives up what has been gone for as long, and shows when they do not agree. */
async function settle(follower: Follower, fence: bigint, { tip, head }: { tip: bigint; head: bigint }): Promise<Round> {
  const { chain, report, resume, oneNodeBelow } = follower
  const { db, network, name: rail, clock } = chain
  const { code } = network
  const deep = tip - BigInt(chain.confirmations) + 1n
  const due = await queries.dueArrivals(db, code, deep)
  if (due.length === 0 && !chain.second) return 'idle'
  const { agreed, doubt } = await compareNodes(chain, { deep, head, due })
  const sure = due.filter(({ block, asset, amount }) => block <= agreed || amount < oneNodeBelow(asset))
  return db.atomic(async (block): Promise<Round> => {
    const [locked] = await queries.lockChain(block, code, fence)
    if (!locked) return 'elsewhere'
    const store = { keepDoubt: queries.keepDoubt, halt: queries.halt }
    const isHalted = doubt !== undefined && keepDoubt(follower, store, block, locked, doubt)
    if (!doubt && (locked.unsure_since !== null || locked.halted !== null)) {
      queries.endDoubt(block, code)
      if (locked.halted !== null) resume(block, rail, locked.halted)
    }
    if (isHalted) return 'halted'
    const final = await queries.finalize(
      block,
      sure.map(({ id }) => id),
    )
    if (final.length > 0) queries.fillPurses(block, code, final, clock.realNow())
    const lost = await queries.giveUp(block, code, agreed)
    const events = [
      ...final.map((one) => toRailEvent(one, 'final')),
      ...lost.map((one) => toRailEvent(one, 'reversed')),
    ]
    if (events.length > 0)
      await report(
        block,
        events.map((event) => ({ ...event, rail })),
      )
    return 'idle'
  })
}

const idOf = ({ hash, position }: { hash: string; position: number }): string => `${hash}:${position}`

/** Goes back to the last block that the old way and the new one have in common. Stops crediting where none is remembered. */
async function takeBack({ chain, report, halt }: Follower, fence: bigint, tip: bigint): Promise<Round> {
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
    if (lost.length > 0)
      await report(
        block,
        lost.map((one) => ({ ...toRailEvent(one, 'reversed'), rail })),
      )
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
      if (round !== 'halted') return round === 'more'
      log.error({ network: network.code }, 'A chain is not followed: it was halted.')
      return haltedPauseMs
    },
    onError: (err) => log.warn({ err, network: network.code }, 'A chain could not be followed; trying again.'),
    everyMs: settings.scanEveryMs,
    release: () => queries.endLease(db, network.code, holder),
  })
}
