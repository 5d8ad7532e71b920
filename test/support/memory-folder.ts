import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'

const memory = '/dev/shm'
const prefix = 'cambio-tests-'

/** What must be free, of the machine's memory and of the file system in it. A run of the whole suite fills a quarter of this. */
const minFreeBytes = 4 * 2 ** 30

/**
 * Makes this process and the ones it starts keep temporary files in memory, where copying a database takes a tenth of the time.
 * The folder goes away with this process. Does nothing where there is no such file system, or not enough memory.
 */
export function useMemoryFolder(): void {
  if (!existsSync(memory)) return
  removeLeftovers()
  const { bavail, bsize } = statfsSync(memory)
  if (Math.min(bavail * bsize, process.availableMemory()) < minFreeBytes) return
  const folder = mkdtempSync(join(memory, `${prefix}${process.pid}-`))
  // Started by root, the database runs as another user, who must get to its own folder inside this one.
  chmodSync(folder, 0o711)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  process.env.TMPDIR = folder
}

/** Removes the folders of runs that were killed. Otherwise they would keep the memory until the machine restarts. */
function removeLeftovers(): void {
  for (const entry of readdirSync(memory)) {
    const [pid = ''] = entry.startsWith(prefix) ? entry.slice(prefix.length).split('-') : []
    if (pid !== '' && !existsSync(`/proc/${pid}`)) rmSync(join(memory, entry), { recursive: true, force: true })
  }
}
