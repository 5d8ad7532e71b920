import type { Atomic, Database } from '../../platform/db/sql.ts'
import type { Clock } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import type { Log } from '../../platform/lib/log.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Network } from '../../reference/catalog/network.ts'
import { keepLooking } from '../keep-looking.ts'
import { type Doubt, doubtOf, isNodeFault, keepDoubt, type Reports, type Round } from '../two-nodes.ts'
import * as follows from './follows.sql.ts'
import { nextLook, underLease } from './lease.ts'
import { keepNodes } from './nodes.ts'

/** A chain that is followed, as far as every family has it. */
export type FollowedChain = {
  db: Database
  clock: Clock
  log: Log
  network: Network
  /** The rail's name. */
  name: string
  second: object | undefined
}

type ChainReports = Omit<Reports, 'charge'>

/** A process that follows a chain: its name among several, and where it reports. */
export type ChainFollower<Chain extends FollowedChain, Own extends ChainReports = ChainReports> = Own & {
  chain: Chain
  holder: string
}

/** A process that may follow a chain. */
export const newFollower = <Chain extends FollowedChain, Own extends ChainReports>(
  chain: Chain,
  reports: Own,
): ChainFollower<Chain, Own> => ({ ...reports, chain, holder: randomToken(9) })

/** How many blocks are remembered, and so how deep a reorganization may be before crediting stops by itself. */
export const rememberedBlocks = 5_000n

/** Follows a chain by one step, under its lease. What a node does wrong is a doubt about it, which halts crediting where it lasts. */
export function followStep(
  follower: ChainFollower<FollowedChain>,
  step: (lease: follows.Follow) => Promise<Round>,
): Promise<Round> {
  const { chain, holder } = follower
  const { db, network } = chain
  return underLease(
    chain,
    (term) => follows.takeLease(db, network.code, holder, term),
    async (lease) => {
      if (lease.halted !== null && !lease.is_passing) return 'halted'
      try {
        return await step(lease)
      } catch (error) {
        if (!isNodeFault(error)) throw error
        await db.atomic(async (block) => {
          const [locked] = await follows.lockFollow(block, network.code, lease.fence)
          if (locked) keepDoubt(follower, block, locked, doubtOf('first', error))
        })
        throw error
      }
    },
  )
}

/** Writes down whether the nodes agree, and ends what stopped crediting once they do. True while it is halted. */
export function keepAgreement(
  follower: ChainFollower<FollowedChain>,
  block: Atomic,
  locked: follows.Follow,
  { doubt, isBehind = false }: { doubt?: Doubt | undefined; isBehind?: boolean },
): boolean {
  const { chain, resume } = follower
  const { network, name, second, clock } = chain
  if (doubt) return keepDoubt(follower, block, locked, doubt)
  keepNodes(block, network.code, ['ok', second && (isBehind ? 'behind' : 'ok')], clock.realNow())
  if (locked.unsure_since !== null || locked.halted !== null) {
    follows.endDoubt(block, network.code)
    if (locked.halted !== null) resume(block, name, locked.halted)
  }
  return false
}

/** How a family goes back: the hashes of blocks at the first node, and what it undoes that blocks above one brought. */
export type Undoing = {
  hashesAt(numbers: bigint[]): Promise<(string | undefined)[]>
  /** The blocks themselves are forgotten before. */
  undoAbove(db: Atomic, block: bigint): Promise<void>
}

/** Goes back to the last block that the old way and the new one have in common. Stops crediting where none is remembered. */
export async function goBack(
  { chain, halt }: ChainFollower<FollowedChain>,
  { fence, tip }: { fence: bigint; tip: bigint },
  undoing: Undoing,
): Promise<Round> {
  const { db, network, name, log } = chain
  const { code } = network
  const fork = await commonBlock(chain, tip, undoing)
  const reason = `The chain ${code} was reorganized deeper than the blocks that are remembered.`
  await db.atomic(async (block) => {
    if ((await follows.lockFollow(block, code, fence)).length === 0) return
    if (fork === undefined) {
      follows.halt(block, code, reason, false)
      return halt(block, name, reason)
    }
    follows.dropBlocks(block, code, fork)
    await undoing.undoAbove(block, fork)
    follows.moveOn(block, code, fork + 1n)
  })
  log.warn(
    { network: code, from: String(tip), to: String(fork ?? '') },
    fork === undefined ? reason : 'A chain was reorganized.',
  )
  return fork === undefined ? 'halted' : 'more'
}

async function commonBlock(
  { db, network }: FollowedChain,
  tip: bigint,
  { hashesAt }: Undoing,
): Promise<bigint | undefined> {
  let below = tip
  // Most reorganizations are short, and a node that is in one has enough to do.
  for (let many = 1; ; many = Math.min(2 * many, 50)) {
    const known = await follows.blocksUpTo(db, network.code, below, many)
    if (known.length === 0) return undefined
    const hashes = await hashesAt(known.map(({ number }) => number))
    const found = known.find(({ hash }, index) => hashes[index] === hash)
    if (found) return found.number
    below = (known.at(-1)?.number ?? 0n) - 1n
  }
}

/**
 * Lets a chain be read again from a block on, after an operator has found out which branch won. What was reported and is still
 * there is left alone; the rest is reversed, as by any reorganization. `also` is done in the same block. Refuses a block that does not
 * exist, or lies before the first that was ever read: what is older is in the opening balance.
 */
export async function rereadFrom(
  { db, network }: FollowedChain,
  { hashesAt, undoAbove }: Undoing,
  block: bigint,
  also: (db: Atomic) => void = () => undefined,
): Promise<void> {
  const before = block - 1n
  const [hash] = before < 0n ? [] : await hashesAt([before])
  if (hash === undefined)
    throw new Refusal('BAD_REQUEST', `The node has no block ${before} of ${network.code} to begin with.`)
  await db.atomic(async (atomic) => {
    const [known] = await follows.lockAnyhow(atomic, network.code)
    if (!known || known.first_block === null || before < known.first_block) {
      throw new Refusal('CONFLICT', `${network.code} was followed from block ${known?.first_block ?? 'none'} on.`)
    }
    follows.dropBlocks(atomic, network.code, before)
    await undoAbove(atomic, before)
    follows.rereadFrom(atomic, network.code, { number: before, hash })
    also(atomic)
  })
}

/** How often a chain that was halted is looked at. */
const haltedPauseMs = 10_000

/** Follows a chain until it is stopped: at once while there is more to read, else after a pause. What fails is tried again. */
export function keepFollowing(
  { chain: { db, log, network }, holder }: ChainFollower<FollowedChain>,
  { everyMs, look }: { everyMs: number; look(): Promise<Round> },
): { stop(): Promise<void> } {
  return keepLooking({
    look: async () => {
      const round = await look()
      if (round !== 'halted') return nextLook(round)
      log.error({ network: network.code }, 'A chain is not followed: it was halted.')
      return haltedPauseMs
    },
    onError: (err) => log.warn({ err, network: network.code }, 'A chain could not be followed; trying again.'),
    everyMs,
    release: () => follows.endLease(db, network.code, holder),
  })
}
