/**
 * Several test files in one process, one after the other: loading the service and warming it up is most of what a short file
 * costs. Each file is a suite by its name, with what it declares at its top inside, so that its hooks are for it alone.
 */
import { register } from 'node:module'
import { relative } from 'node:path'
import { pathToFileURL } from 'node:url'

import { root } from './build.js'

/** How long after the last test something may keep the process. Longer is something that a test has forgotten to close. */
const lingerMs = 20_000

/**
 * Runs the files. One that cannot be read is a test that fails.
 *
 * @param {string[]} files
 * @param {number} timeoutMs the longest that one file may take
 */
export async function runTogether(files, timeoutMs) {
  register('./gathering.js', import.meta.url)
  const test = await import('./gathered-test.js')
  /** @type {[file: string, declared: (() => void)[]][]} */
  const read = []
  for (const file of files) {
    try {
      await import(pathToFileURL(file).href)
    } catch (error) {
      test.test('this file can be read', () => {
        throw error
      })
    }
    read.push([file, test.takeDeclared()])
  }
  test.asNode()
  for (const [file, declared] of read) {
    test.describe(relative(root, file), { timeout: timeoutMs }, () => {
      for (const declare of declared) declare()
    })
  }
  test.after(() => setTimeout(endLingering, lingerMs, files).unref())
}

/** @param {string[]} files */
function endLingering(files) {
  const keepers = process.getActiveResourcesInfo().join(', ')
  const names = files.map((file) => relative(root, file)).join('\n  ')
  console.error(`Something keeps the process (${keepers}) that one of these files has not closed:\n  ${names}`)
  process.exit(1)
}
