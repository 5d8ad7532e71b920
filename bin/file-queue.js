/** A queue of files that several processes take from: an entry in a folder for each, and whoever removes the entry has the file. */
import { mkdirSync, readdirSync, readFileSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Makes one.
 *
 * @param {string} folder where there is none yet
 * @param {string[]} files in the order in which they are taken
 */
export function makeQueue(folder, files) {
  mkdirSync(folder)
  for (const [at, file] of files.entries()) writeFileSync(join(folder, String(at).padStart(6, '0')), file)
}

/**
 * Takes the next file; undefined when all are taken.
 *
 * @param {string} folder
 * @returns {string | undefined}
 */
export function takeFrom(folder) {
  for (const name of readdirSync(folder).toSorted()) {
    const file = takeEntry(join(folder, name))
    if (file !== undefined) return file
  }
  return undefined
}

/**
 * Those that nobody has taken.
 *
 * @param {string} folder
 */
export const leftIn = (folder) => readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))

/** @param {string} entry that another process may take at the same time */
function takeEntry(entry) {
  try {
    const file = readFileSync(entry, 'utf8')
    unlinkSync(entry)
    return file
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw error
  }
}
