import type { Atomic } from '../platform/db/sql.ts'
import type { Clock } from '../platform/lib/clock.ts'
import type { Log } from '../platform/lib/log.ts'
import type { Network } from '../reference/catalog/network.ts'
import { NoAnswer, Nonsense } from './json-rpc.ts'
import type { RailEvent } from './rail.ts'

/** Receives the events of a chain, in the same block that stores what they report: both commit, or neither. */
export type ReportEvents = (db: Atomic, events: (RailEvent & { rail: string })[]) => Promise<void>

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

/** Why two nodes do not agree. `isClear`: no delay can explain it. */
export type Doubt = { reason: string; isClear: boolean }

/** What both nodes say of a chain. `agreed`: how far both report the same. */
export type Agreement = { agreed: bigint; doubt?: Doubt }

/** How long the nodes may disagree before it is shown, where a delay may explain it. Nothing that needs both is final meanwhile. */
const doubtMs = 30_000

/** Whether the node is at fault, not we. */
export const isNodeFault = (error: unknown): boolean => error instanceof Nonsense || error instanceof NoAnswer

/** The doubt that a node's failure is. */
export const doubtOf = (which: 'first' | 'second', error: unknown): Doubt =>
  error instanceof Nonsense
    ? { reason: `the ${which} sends nonsense (${error.message})`, isClear: true }
    : { reason: `the ${which} does not answer as it should`, isClear: false }

type Doubtful = {
  chain: { network: Network; name: string; clock: Clock; log: Log }
  halt: Reports['halt']
}

/** Where a rail writes its doubts down. */
type DoubtStore = {
  keepDoubt(db: Atomic, network: string, now: Date): void
  halt(db: Atomic, network: string, reason: string, isPassing: true): void
}

/** Writes down that the nodes do not agree, and halts crediting where no delay explains it any more. True while it is halted. */
export function keepDoubt(
  { chain: { network, name, clock, log }, halt }: Doubtful,
  store: DoubtStore,
  db: Atomic,
  { halted, unsure_since: before }: { halted: string | null; unsure_since: Date | null },
  { reason, isClear }: Doubt,
): boolean {
  const now = clock.realNow()
  store.keepDoubt(db, network.code, now)
  if (halted !== null) return true
  if (!isClear && now.getTime() - (before ?? now).getTime() <= doubtMs) return false
  const sentence = `The nodes of ${network.code} do not agree: ${reason}.`
  store.halt(db, network.code, sentence, true)
  halt(db, name, sentence)
  log.error({ network: network.code }, sentence)
  return true
}
