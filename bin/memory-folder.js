/**
 * A folder for temporary files that lies in memory: a database is copied there in a tenth of the time that a disk takes, and each
 * test file has one of its own.
 */
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const name = 'cambio-tests-'

/** As much must be free, of the memory and of what a folder may have of it. A run of everything fills a quarter. */
const leastBytes = 4 * 2 ** 30

/**
 * Makes one, which goes away with this process, and names it to the programs that it starts. Does nothing where there is no such
 * thing, or too little of it.
 */
export function useMemoryFolder() {
  if (!existsSync(memory)) return
  removeLeftOvers()
  const { bavail, bsize } = statfsSync(memory)
  if (Math.min(bavail * bsize, process.availableMemory()) < leastBytes) return
  const folder = mkdtempSync(join(memory, `${name}${process.pid}-`))
  // As root, the database is another user: it must get to its folder inside.
  chmodSync(folder, 0o711)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.TMPDIR = folder
}

/** Removes what a run that was killed has left: nobody else would, until the machine is started again. */
function removeLeftOvers() {
  for (const entry of readdirSync(memory)) {
    const [pid = ''] = entry.startsWith(name) ? entry.slice(name.length).split('-') : []
    if (pid !== '' && !existsSync(`/proc/${pid}`)) rmSync(join(memory, entry), { recursive: true, force: true })
  }
}
