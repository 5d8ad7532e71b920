/**
 * A process of `npm test`: runs test files one after the other, because loading the service is most of what a short file costs.
 * `TEST_QUEUE` names a folder that several of these share; it holds the list of files and a mark for each one that is taken.
 *
 * Each file is a suite named after it, so its hooks apply to its own tests only.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { describe } from 'node:test'
import { pathToFileURL } from 'node:url'

import { root } from './build.js'

/** How long the process may live on after its last test. Longer means that a test left something open. */
const lingerMs = 20_000

const folder = process.env.TEST_QUEUE ?? ''
const { files, timeout } = /** @type {{ files: string[], timeout: number }} */ (
  JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8'))
)

/** @type {unknown} */
const support = await import(pathToFileURL(join(root, 'dist/test/support/database.js')).href)
const { dropTestDatabases } = /** @type {typeof import('../test/support/database.ts')} */ (support)

/** @type {string[]} */
const done = []
for (const [index, file] of files.entries()) {
  if (!take(index)) continue
  const name = relative(root, file)
  done.push(name)
  await describe(name, { timeout }, () => import(pathToFileURL(file).href))
  await dropTestDatabases()
}
setTimeout(endLingering, lingerMs).unref()

/**
 * Takes a file, unless another process has it: only one of them can create its mark.
 *
 * @param {number} index
 */
function take(index) {
  try {
    writeFileSync(join(folder, String(index)), '', { flag: 'wx' })
    return true
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
    throw error
  }
}

function endLingering() {
  const resources = process.getActiveResourcesInfo().join(', ')
  console.error(`One of these files left something open (${resources}):\n  ${done.join('\n  ')}`)
  process.exit(1)
}
