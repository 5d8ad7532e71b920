/**
 * Many test files in one process, one after the other: loading the service and warming it up is most of what a short file costs.
 * Each file is a suite by its name, with what it declares at its top inside, so that its hooks are for it alone.
 */
import { register } from 'node:module'
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'

import { root } from './build.js'
import { takeFrom } from './file-queue.js'

/** How long after the last test something may keep the process. Longer is something that a test has forgotten to close. */
const lingerMs = 20_000

/**
 * Takes files from a queue and runs them, until there is none or it has run `most`. One that cannot be read is a test that fails.
 *
 * @param {string} queue
 * @param {{ most: number, timeoutMs: number }} limits how many files, and the longest that one may take
 */
export async function runTogether(queue, { most, timeoutMs }) {
  register('./gathering.js', import.meta.url)
  const test = await import('./gathered-test.js')
  /** @type {string[]} */
  const run = []
  while (run.length < most) {
    const file = takeFrom(queue)
    if (file === undefined) break
    run.push(relative(root, file))
    await runFile(file, timeoutMs, test)
  }
  setTimeout(endLingering, lingerMs, run).unref()
}

/**
 * @param {string} file
 * @param {number} timeoutMs
 * @param {typeof import('./gathered-test.js')} test
 */
async function runFile(file, timeoutMs, test) {
  test.asGathered()
  try {
    await import(pathToFileURL(file).href)
  } catch (error) {
    test.test('this file can be read', () => {
      throw error
    })
  }
  const declared = test.takeDeclared()
  test.asNode()
  // Node gives the suite's end only where it stands at the top, as here.
  await test.describe(relative(root, file), { timeout: timeoutMs }, () => {
    for (const declare of declared) declare()
  })
}

/** @param {string[]} files */
function endLingering(files) {
  const keepers = process.getActiveResourcesInfo().join(', ')
  console.error(
    `Something keeps the process (${keepers}) that one of these files has not closed:\n  ${files.join('\n  ')}`,
  )
  process.exit(1)
}
