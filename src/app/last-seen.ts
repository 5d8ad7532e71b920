import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Host } from '../platform/db/connection.ts'
import { openWitness, type Witness } from '../platform/db/witness.ts'
import { randomToken } from '../platform/lib/ids.ts'
import type { Log } from '../platform/lib/log.ts'
import type { PayoutMemory, RememberedPayout } from '../rails/payout-memory.ts'

/** What `last-seen.json` holds. */
type LastSeenFile = {
  database?: Host
  exchange?: string
  payouts?: readonly RememberedPayout[]
  /** A name of this machine's own making, and when it has last seen the database of an exchange. */
  sighting?: { machine: string; at: string; exchange?: string | undefined }
}

/** What this machine remembers outside its database: a database that went back in time cannot know it. */
export type LastSeen = {
  witness: Witness
  payouts: PayoutMemory
  /** Writes what was not written yet. */
  close(): void
}

const keptPayouts = 1_000
const writeAfterMs = 250

/** Opens `last-seen.json` in `dataDir`. Where it cannot be written, only this process remembers. Throws when it cannot be read. */
export function openLastSeen(dataDir: string, log: Log): LastSeen {
  const file = join(dataDir, 'last-seen.json')
  let noted: RememberedPayout[] = []
  let timer: NodeJS.Timeout | undefined
  let sighting: LastSeenFile['sighting']
  let seenExchange: string | undefined
  const newMachine = randomToken(9)

  /** Other processes write here, too, and in containers all have one process id: each changes only what it knows. */
  function write(change: (before: LastSeenFile) => LastSeenFile): void {
    const draft = `${file}.${randomUUID()}`
    try {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      writeFileSync(draft, `${JSON.stringify(change(readLastSeen(file)))}\n`, { mode: 0o600 })
      renameSync(draft, file)
    } catch (error) {
      log.warn({ err: error }, 'Failed to write last-seen.json.')
    }
  }

  function writeNoted(): void {
    clearTimeout(timer)
    timer = undefined
    const fresh = noted
    noted = []
    if (fresh.length === 0) return
    write((before) => ({ ...before, payouts: [...(before.payouts ?? []), ...fresh].slice(-keptPayouts) }))
  }

  const witness = openWitness({
    newest: readLastSeen(file).database,
    onNewer: (database) => write((before) => ({ ...before, database })),
    onRefused: (host, newest) =>
      log.error({ host, newest }, 'An old primary has returned: it is not written to. Shut it down.'),
  })
  const payouts: PayoutMemory = {
    note: (payout) => {
      noted.push(payout)
      timer ??= setTimeout(writeNoted, writeAfterMs)
    },
    all: () => [...(readLastSeen(file).payouts ?? []), ...noted],
    belongTo: (exchange) => {
      seenExchange = exchange
      const before = readLastSeen(file)
      if (before.exchange !== exchange) write(({ database }) => ({ ...(database && { database }), exchange }))
    },
    sighting: () => {
      const { machine = newMachine, at, exchange } = readLastSeen(file).sighting ?? sighting ?? {}
      // Another exchange that shares the folder has its own.
      const isOther = exchange !== undefined && exchange !== seenExchange
      return { machine, at: at === undefined || isOther ? undefined : new Date(at) }
    },
    noteSeen: (at) => {
      const { machine } = payouts.sighting()
      const noted = { machine, at: at.toISOString(), exchange: seenExchange }
      sighting = noted
      write((before) => ({ ...before, sighting: noted }))
    },
  }
  return { witness, payouts, close: writeNoted }
}

function readLastSeen(file: string): LastSeenFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LastSeenFile
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new Error(`${file} cannot be read. Repair or remove it.`, { cause: error })
  }
}
