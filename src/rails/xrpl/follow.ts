import type { Reports, Round } from '../two-nodes.ts'
import { type ChainFollower, followStep, keepAgreement } from '../chain/follow.ts'
import * as follows from '../chain/follows.sql.ts'
import type { Follow } from '../chain/follows.sql.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { accountIn, compareNodes } from './agree.ts'
import type { Chain } from './chain.ts'
import { toRailEvent } from './events.ts'
import { readMovements, readState } from './ledger.ts'
import * as queries from './queries.ts'
import { endPayments, learnAttempts, sendOnce } from './sending/send.ts'

/** A process that follows the account. */
export type Follower = ChainFollower<Chain, Reports>

/** The most ledgers that one look reads: about an hour. */
const batch = 1_000n

/** Follows the account by one step: reads the next validated ledgers, and credits what both nodes report, in one atomic block. */
export const followOnce = (follower: Follower): Promise<Round> => followStep(follower, (lease) => step(follower, lease))

async function step(follower: Follower, lease: Follow): Promise<Round> {
  const { chain } = follower
  const { db, network, node, account } = chain
  await chain.checkNode(node)
  if (lease.next_block === null) {
    await begin(chain)
    return 'more'
  }
  const charge = (block: Atomic, amount: bigint) =>
    follower.charge(block, [{ place: chain.name, asset: chain.asset, amount }])
  const from = lease.next_block
  const { head } = await readState(node)
  const to = head < from + batch ? head : from + batch
  const movements = to < from ? { payments: [], sent: [] } : await readMovements(node, account, { from, to })
  const { payments, sent } = movements
  const { agreed, doubt } = await compareNodes(chain, { from, to, head, movements })
  const final = sent.filter(({ ledger }) => ledger <= agreed)
  const unclear = await learnAttempts(chain, final)
  const round = await db.atomic(async (block): Promise<Round> => {
    const [locked] = await follows.lockFollow(block, network.code, lease.fence)
    if (locked?.next_block !== from) return 'elsewhere'
    if (agreed >= from) {
      const both = { from, agreed, payments: payments.filter(({ ledger }) => ledger <= agreed) }
      await report(follower, block, 'reversed', await queries.reverseOthers(block, network.code, both))
    }
    await report(follower, block, 'seen', await queries.insertArrivals(block, network.code, payments))
    if (keepAgreement(follower, block, locked, { doubt })) return 'halted'
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
    if (spent > 0n) await charge(block, spent)
    follows.moveOn(block, network.code, agreed + 1n)
    follows.keepAgreed(block, network.code, agreed)
    return agreed === to && to < head ? 'more' : 'idle'
  })
  if (round === 'idle')
    await sendOnce(chain, { fence: lease.fence, head, agreed: agreed < from ? from - 1n : agreed, charge })
  return round
}

/** Begins to follow the account, once, after the last validated ledger of every node. Its balance there is the opening balance. */
async function begin(chain: Chain): Promise<void> {
  const { db, network, node, second, account } = chain
  const states = await Promise.all((second ? [node, second] : [node]).map(readState))
  const head = states.map((state) => state.head).reduce((least, one) => (one < least ? one : least))
  const state = await accountIn(chain, account, head)
  await follows.beginAt(db, network.code, head, state?.balance ?? 0n)
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
