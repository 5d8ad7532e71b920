import type { Database } from '../../platform/db/sql.ts'
import { after, type Clock, stopwatch } from '../../platform/lib/clock.ts'
import { detach } from '../../platform/lib/detach.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { PriceSource } from '../sources/price-source.ts'
import { type Board, type BoardRules, openBoard } from './board.ts'
import { endLead, type Lead, readBooks, takeLead, writeBooks } from './queries.ts'

/** How long a process that fell silent keeps the lead, and how often it is renewed or tried for, in real milliseconds. */
const leaseMs = 3_000
const renewMs = 750
/** The database is written to at most twenty times a second. */
const leastBetweenWritesMs = 50
/** How often prices that became too old are looked for. */
const lookMs = 100

/** What asks the sources. */
export type Leader = {
  /** Gives the lead back. */
  stop(): Promise<void>
}

export type LeaderOptions = {
  db: Database
  stampKey: Buffer
  clock: Clock
  log: Log
  rules: BoardRules
  sources: readonly PriceSource[]
  /** Whether this process may lead now; its clock stamps the prices. */
  mayLead(): boolean
  /** Called after a commit that wrote books. */
  onWritten(): void
}

/** The work of a process while it leads. */
type Term = { lead: Lead; stop(): void }

/**
 * Tries for the lead, and asks the sources while it has it: one process of all does. What sources say is worked out at once, and
 * written within fifty milliseconds, under the fence of the lease.
 */
export function startLeader(options: LeaderOptions): Leader {
  const { db, stampKey, clock, log } = options
  const holder = randomToken(9)
  let term: Term | undefined
  let stopped = false
  let timer: NodeJS.Timeout | undefined

  async function renew(): Promise<void> {
    const now = clock.realNow()
    try {
      const lead = options.mayLead() ? await takeLead(db, holder, now, after(now, leaseMs)) : undefined
      if (term && term.lead.fence !== lead?.fence) endTerm('The lead of the markets moved to another process.')
      if (lead && !term && !stopped) term = await startTerm(lead)
    } catch (error) {
      log.warn({ err: error }, 'Failed to renew the lead of the markets; retrying.')
    }
    if (!stopped) timer = setTimeout(() => detach(renew()), renewMs)
  }

  function endTerm(message: string): void {
    term?.stop()
    term = undefined
    log.info({}, message)
  }

  async function startTerm(lead: Lead): Promise<Term> {
    const { books: known } = await readBooks({ db, stampKey }, 0n)
    const version = known.reduce((highest, row) => (row.version > highest ? row.version : highest), 0n)
    const board = openBoard(options.rules, known, clock.realNow().getTime())
    const writing = startWriting({ ...options, lead, board, version }, (isLost) => {
      if (isLost && term?.lead === lead) endTerm('The lead of the markets was lost.')
      if (!isLost) options.onWritten()
    })
    const running = options.sources.map((source) =>
      source.start((readings, isWhole) => {
        board.take(source, readings, isWhole)
        writing.soon()
      }),
    )
    log.info({ sources: running.length }, 'This process leads the markets.')
    return {
      lead,
      stop: () => {
        for (const one of running) one.stop()
        writing.stop()
      },
    }
  }
  detach(renew())

  return {
    stop: async () => {
      stopped = true
      clearTimeout(timer)
      const last = term
      if (!last) return
      term = undefined
      last.stop()
      await endLead(db, last.lead, clock.realNow()).catch(() => undefined)
    },
  }
}

type WritingOptions = Pick<LeaderOptions, 'db' | 'stampKey' | 'clock' | 'log'> & {
  lead: Lead
  board: Board
  version: bigint
}

/** Writes what changed on the board, one write at a time. `onWrite` is called after each; `isLost` says that another process leads. */
function startWriting(
  { db, stampKey, clock, log, lead, board, version: last }: WritingOptions,
  onWrite: (isLost: boolean) => void,
) {
  let version = last
  let sinceWrite = stopwatch()
  let timer: NodeJS.Timeout | undefined
  let isWriting = false
  let stopped = false

  async function write(): Promise<void> {
    const rows = board.changed(clock.realNow().getTime())
    if (rows.length === 0 || stopped) return
    isWriting = true
    sinceWrite = stopwatch()
    try {
      const isOurs = await writeBooks({ db, stampKey }, lead, version + 1n, rows)
      if (isOurs) {
        version += 1n
        board.written(rows)
      }
      if (!stopped) onWrite(!isOurs)
    } catch (error) {
      log.warn({ err: error }, 'Failed to write the books of the markets; retrying.')
    }
    isWriting = false
  }

  const soon = (): void => {
    if (timer || stopped) return
    timer = setTimeout(
      () => {
        timer = undefined
        if (isWriting) soon()
        else detach(write())
      },
      Math.max(isWriting ? 5 : 1, leastBetweenWritesMs - sinceWrite()),
    )
  }
  const look = setInterval(soon, lookMs)
  return {
    soon,
    stop: () => {
      stopped = true
      clearInterval(look)
      clearTimeout(timer)
    },
  }
}
