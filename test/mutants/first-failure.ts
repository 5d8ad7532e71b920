import { join, relative } from 'node:path'
import { run } from 'node:test'

import { projectFolder } from '../support/source.ts'

/*
 * Runs the test files that it is given, one after the other, and says in one line which test fails first: its file and its name.
 * Prints nothing if none does. The process that reads the line ends this one.
 */

/** The longest that one file may take. */
const fileTimeoutMs = 120_000

const files = process.argv.slice(2).map((file) => join(projectFolder, file))
const results = run({ files, concurrency: 1, timeout: fileTimeoutMs })
results.on('test:fail', ({ name, file, details }) => {
  if (details.type === 'suite') return
  const path = relative(projectFolder, file ?? name).replace(/^dist\//, '')
  const test = name === file ? 'it does not end as it should' : name
  process.stdout.write(`${path.replace(/\.js$/, '.ts')}: ${test.replaceAll('\n', ' ')}\n`)
})
results.resume()
