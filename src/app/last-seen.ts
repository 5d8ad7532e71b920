import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { Host } from '../platform/db/connection.ts'
import { openWitness, type Witness } from '../platform/db/witness.ts'
import type { Log } from '../platform/lib/log.ts'

/** What `last-seen.json` holds. */
type LastSeenFile = { database?: Host | undefined }

/** What this machine remembers outside its database: a database that went back in time cannot know it. */
export type LastSeen = { witness: Witness }

/** Opens `last-seen.json` in `dataDir`. Where it cannot be written, only this process remembers. Throws when it cannot be read. */
export function openLastSeen(dataDir: string, log: Log): LastSeen {
  const file = join(dataDir, 'last-seen.json')
  const seen = readSeen(file)

  function write(): void {
    const draft = `${file}.${process.pid}`
    try {
      mkdirSync(dataDir, { recursive: true, mode: 0o700 })
      writeFileSync(draft, `${JSON.stringify(seen)}\n`, { mode: 0o600 })
      renameSync(draft, file)
    } catch (error) {
      log.warn({ err: error }, 'Failed to write last-seen.json.')
    }
  }
  const witness = openWitness({
    newest: seen.database,
    onNewer: (database) => {
      seen.database = database
      write()
    },
    onRefused: (host, newest) =>
      log.error({ host, newest }, 'An old primary has returned: it is not written to. Shut it down.'),
  })
  return { witness }
}

function readSeen(file: string): LastSeenFile {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as LastSeenFile
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return {}
    throw new Error(`${file} cannot be read. Repair or remove it.`, { cause: error })
  }
}
