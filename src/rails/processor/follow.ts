import type { Atomic, Database } from '../../platform/db/sql.ts'
import { after, type Clock } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import { keepLooking } from '../keep-looking.ts'
import type { RailEvent } from '../rail.ts'
import { type Item, type ItemKey, lockItem, recordMovements, takeDue, writeState } from './store.ts'

/** What a processor answered about one thing, as events, and whether more is to come. */
export type Findings = {
  events: readonly RailEvent[]
  status: string
  /** Its money has moved. */
  settled: boolean
  /** When it is worth asking again: `soon` while it is open, `rarely` while it may be reversed, `briefly` for a day. */
  again: 'always' | 'soon' | 'rarely' | 'briefly' | 'never'
}

/** A processor whose open payments and refunds are asked about. */
export type Processor = {
  rail: string
  db: Database
  clock: Clock
  log: Log
  /** How often an open thing is asked about, in real milliseconds. */
  everyMs: number
  /** Asks about one thing; undefined where the processor plainly does not know it. */
  look(item: Item): Promise<Findings | undefined>
}

/** Receives events in the block that writes down that they were found. */
export type Report = (db: Atomic, events: readonly (RailEvent & { rail: string })[]) => Promise<void>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** How long a payment that the processor does not know may still appear: our request may be under way. */
const mayAppearMs = hourMs
/** For how long something that is open, or may still be reversed, is asked about; and what has most likely ended. */
const forgottenMs = { always: Number.POSITIVE_INFINITY, soon: 90 * dayMs, rarely: 90 * dayMs, briefly: dayMs, never: 0 }

/**
 * Asks about one thing, and writes down what it says in one block: the money that moved, the state, when to ask again. `report` gets
 * the events in that block. Without it the caller may never book them, so only what was reported ends the asking. What an answer means
 * depends on what was known before it (a refund that fails has come back if it had been paid), so one who learned more meanwhile has it
 * asked about once more.
 */
export async function askAbout(processor: Processor, item: Item, report?: Report): Promise<Findings | undefined> {
  const { rail, db } = processor
  const found = await processor.look(item)
  const known = await db.atomic(async (block) => {
    const now = await lockItem(block, item)
    if (now && (now.settled !== item.settled || now.status !== item.status)) return now
    const events = found?.events ?? []
    if (report && events.length > 0)
      await report(
        block,
        events.map((event) => ({ ...event, rail })),
      )
    keep(processor, block, item, { found, isReported: report !== undefined || events.length === 0 })
    return undefined
  })
  return known ? askAbout(processor, known, report) : found
}

function keep(
  { rail, clock, everyMs }: Processor,
  db: Atomic,
  item: Item,
  { found, isReported }: { found: Findings | undefined; isReported: boolean },
): void {
  const now = clock.realNow()
  if (found) recordMovements(db, rail, found.events, clock.now())
  const ageMs = now.getTime() - item.opened_at.getTime()
  const again = found?.again ?? (ageMs < mayAppearMs ? 'soon' : 'never')
  const isSoon = again === 'soon' || again === 'always' || !isReported
  const waitMs = isSoon ? everyMs : Math.max(everyMs, Math.min(ageMs / 4, dayMs))
  const isOver = isReported && (again === 'never' || ageMs > forgottenMs[again])
  writeState(db, item, {
    status: found?.status ?? item.status,
    settled: found?.settled ?? false,
    lookAt: isOver ? null : after(now, Math.round(waitMs)),
  })
}

/** Asks about everything that is due, once. What cannot be asked now comes again after `everyMs`. Gives how many were asked about. */
export async function followOnce(processor: Processor, report: Report): Promise<number> {
  const { rail, db, clock, log, everyMs } = processor
  const now = clock.realNow()
  const due = await takeDue(db, rail, { now, until: after(now, everyMs) })
  for (const item of due) {
    try {
      await askAbout(processor, item, report)
    } catch (error) {
      log.warn({ err: error, ...nameOf(item) }, 'A processor could not be asked; trying again.')
    }
  }
  return due.length
}

const nameOf = ({ rail, kind, id }: ItemKey) => ({ rail, kind, id })

/** Asks until it is stopped: at once while much is due, else after a pause. `begin` is done first, until it succeeds. */
export function keepAsking(
  processor: Processor,
  report: Report,
  begin: () => Promise<void>,
): { stop(): Promise<void> } {
  let isBegun = false
  return keepLooking({
    look: async () => {
      if (!isBegun) await begin()
      isBegun = true
      return (await followOnce(processor, report)) > 0
    },
    onError: (err) =>
      processor.log.warn({ err, rail: processor.rail }, 'A processor could not be followed; trying again.'),
    everyMs: Math.min(processor.everyMs / 4, 5_000),
  })
}
