import { open, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'

/** Where payment files appear for the bank: a folder here or on its server. */
export type Outbox = {
  /** Writes a temporary file, which the bank ignores, to the disk. */
  put(name: string, bytes: Buffer): Promise<void>
  /** Renames it in one step. `missing`: there is no such file any more. */
  publish(from: string, to: string): Promise<'published' | 'missing'>
  remove(name: string): Promise<void>
}

/** A folder on this machine. */
export const folderOutbox = (folder: string): Outbox => ({
  put: async (name, bytes) => {
    const file = await open(join(folder, name), 'w', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await syncFolder(folder)
  },
  publish: async (from, to) => {
    try {
      await rename(join(folder, from), join(folder, to))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'missing'
      throw error
    }
    await syncFolder(folder)
    return 'published'
  },
  remove: (name) => rm(join(folder, name), { force: true }),
})

/** So that a new name survives a loss of power. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
