import type { Atomic } from '../platform/db/sql.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { Network } from '../reference/catalog/network.ts'
import * as follows from './chain/follows.sql.ts'
import { keepNodes, type NodeState, type NodeStates } from './chain/nodes.ts'
import { NoAnswer, NodeError, Nonsense } from './json-rpc.ts'
import type { ReportEvents } from './rail.ts'

/** What a process that follows chains is connected to. */
export type Reports = {
  report: ReportEvents
  /** Books what gathering coins has cost. */
  charge(db: Atomic, costs: { place: string; asset: string; amount: bigint }[]): Promise<void>
  /** A rail stopped crediting, and why. */
  halt(db: Atomic, rail: string, reason: string): void
  /** What `halt` reported is over. */
  resume(db: Atomic, rail: string, reason: string): void
  /** The amount of an asset, in smallest units, below which a deposit needs one node only. */
  oneNodeBelow(asset: string): bigint
}

/** What became of one look: there is more to read, or not; another process follows; or crediting was stopped. */
export type Round = 'more' | 'idle' | 'elsewhere' | 'halted'

/** Why two nodes do not agree, and how each is. `isClear`: no delay can explain it. */
export type Doubt = { reason: string; isClear: boolean; nodes: NodeStates }

/** What both nodes say of a chain. `agreed`: how far both report the same. */
export type Agreement = { agreed: bigint; doubt?: Doubt }

/** How long the nodes may disagree before it is shown, where a delay may explain it. Nothing that needs both is final meanwhile. */
const doubtMs = 30_000

/** Whether the node is at fault, not we. A node that refuses what every node must answer is. */
export const isNodeFault = (error: unknown): boolean =>
  error instanceof Nonsense || error instanceof NoAnswer || error instanceof NodeError

/** The doubt that a node's failure is. */
export function doubtOf(which: 'first' | 'second', error: unknown): Doubt {
  const state: NodeState = error instanceof Nonsense ? 'disagrees' : error instanceof NodeError ? 'refuses' : 'down'
  const nodes: NodeStates = which === 'first' ? [state, undefined] : ['ok', state]
  if (error instanceof Nonsense)
    return { reason: `the ${which} sends nonsense (${error.message})`, isClear: true, nodes }
  const what = state === 'refuses' ? 'refuses what it is asked' : 'does not answer as it should'
  return { reason: `the ${which} ${what}`, isClear: false, nodes }
}

type Doubtful = {
  chain: { network: Network; name: string; clock: Clock; log: Log }
  halt: Reports['halt']
}

/** Writes down that the nodes do not agree, and halts crediting where no delay explains it any more. True while it is halted. */
export function keepDoubt(
  { chain: { network, name, clock, log }, halt }: Doubtful,
  db: Atomic,
  { halted, unsure_since: before }: { halted: string | null; unsure_since: Date | null },
  { reason, isClear, nodes }: Doubt,
): boolean {
  const now = clock.realNow()
  follows.noteDoubt(db, network.code, now)
  keepNodes(db, network.code, nodes, now)
  if (halted !== null) return true
  if (!isClear && now.getTime() - (before ?? now).getTime() <= doubtMs) return false
  const sentence = `The nodes of ${network.code} do not agree: ${reason}.`
  follows.halt(db, network.code, sentence, true)
  halt(db, name, sentence)
  log.error({ network: network.code }, sentence)
  return true
}
