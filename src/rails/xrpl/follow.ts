import { doubtOf, isNodeFault, keepDoubt, type Reports, type Round } from '../two-nodes.ts'
import { type Term, underLease } from '../chain/lease.ts'
import { keepNodes } from '../chain/nodes.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { accountIn, compareNodes } from './agree.ts'
import type { Chain } from './chain.ts'
import { toRailEvent } from './events.ts'
import { readMovements, readState } from './ledger.ts'
import * as queries from './queries.ts'
import { endPayments, learnAttempts, sendOnce } from './sending/send.ts'

/** A process that follows the account: its name among several, and where it reports. */
export type Follower = Reports & { chain: Chain; holder: string }

/** The most ledgers that one look reads: about an hour. */
const batch = 1_000n

export const newFollower = (chain: Chain, reports: Reports): Follower => ({ ...reports, chain, holder: randomToken(9) })

/** Follows the account by one step: reads the next validated ledgers, and credits what both nodes report, in one atomic block. */
export function followOnce(follower: Follower): Promise<Round> {
  const { chain, holder } = follower
  const take = (term: Term) => queries.takeLease(chain.db, chain.network.code, { holder, ...term })
  return underLease(chain, take, (lease) => look(follower, lease))
}

async function look(follower: Follower, lease: queries.AccountRow): Promise<Round> {
  const { db, network } = follower.chain
  try {
    return await step(follower, lease)
  } catch (error) {
    if (!isNodeFault(error)) throw error
    await db.atomic(async (block) => {
      const [locked] = await queries.lockAccount(block, network.code, lease.fence)
      if (locked)
        keepDoubt(
          follower,
          { keepDoubt: queries.keepDoubt, halt: queries.halt },
          block,
          locked,
          doubtOf('first', error),
        )
    })
    throw error
  }
}

async function step(follower: Follower, lease: queries.AccountRow): Promise<Round> {
  const { chain } = follower
  const { db, network, node, account } = chain
  await chain.checkNode(node)
  if (lease.next_ledger === null) {
    await begin(chain)
    return 'more'
  }
  const from = lease.next_ledger
  const { head } = await readState(node)
  const to = head < from + batch ? head : from + batch
  const movements = to < from ? { payments: [], sent: [] } : await readMovements(node, account, { from, to })
  const { payments, sent } = movements
  const { agreed, doubt } = await compareNodes(chain, { from, to, head, movements })
  const final = sent.filter(({ ledger }) => ledger <= agreed)
  const unclear = await learnAttempts(chain, final)
  const round = await db.atomic(async (block): Promise<Round> => {
    const [locked] = await queries.lockAccount(block, network.code, lease.fence)
    if (locked?.next_ledger !== from) return 'elsewhere'
    if (agreed >= from) {
      const both = { from, agreed, payments: payments.filter(({ ledger }) => ledger <= agreed) }
      await report(follower, block, 'reversed', await queries.reverseOthers(block, network.code, both))
    }
    await report(follower, block, 'seen', await queries.insertArrivals(block, network.code, payments))
    if (doubt) {
      if (keepDoubt(follower, { keepDoubt: queries.keepDoubt, halt: queries.halt }, block, locked, doubt))
        return 'halted'
    } else keepNodes(block, network.code, ['ok', chain.second && 'ok'], chain.clock.realNow())
    if (!doubt && (locked.unsure_since !== null || locked.halted !== null)) {
      queries.endHalt(block, network.code)
      if (locked.halted !== null) follower.resume(block, chain.name, locked.halted)
    }
    const oneNodeBelow = follower.oneNodeBelow(chain.asset)
    const hashes = payments.map(({ hash }) => hash)
    await report(
      follower,
      block,
      'final',
      await queries.finalize(block, network.code, { agreed, hashes, oneNodeBelow }),
    )
    if (agreed < from) return 'idle'
    const spent = await endPayments(chain, block, { sent: final, unclear })
    if (spent > 0n) await follower.charge(block, [{ place: chain.name, asset: chain.asset, amount: spent }])
    queries.advanceTo(block, network.code, agreed + 1n)
    return agreed === to && to < head ? 'more' : 'idle'
  })
  if (round === 'idle') await sendOnce(chain, { fence: lease.fence, head, agreed: agreed < from ? from - 1n : agreed })
  return round
}

/** Begins to follow the account, once, after the last validated ledger of every node. Its balance there is the opening balance. */
async function begin(chain: Chain): Promise<void> {
  const { db, network, node, second, account } = chain
  const states = await Promise.all((second ? [node, second] : [node]).map(readState))
  const head = states.map((state) => state.head).reduce((least, one) => (one < least ? one : least))
  const state = await accountIn(chain, account, head)
  await queries.beginAfter(db, network.code, head, state?.balance ?? 0n)
}

async function report(
  { chain, report: send }: Follower,
  db: Atomic,
  status: queries.Arrival['state'],
  arrivals: readonly queries.Arrival[],
): Promise<void> {
  if (arrivals.length === 0) return
  await send(
    db,
    arrivals.map((one) => ({ ...toRailEvent(chain, one, status), rail: chain.name })),
  )
}
