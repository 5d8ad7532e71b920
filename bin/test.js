/**
 * `npm test`: builds, makes one database server ready, and runs every test file with Node's own runner.
 *
 *   npm test                      everything
 *   npm test -- ledger house      the files whose path contains one of these words
 *
 * Each test file gets a database of its own, copied from one migrated template. The server is an embedded PostgreSQL in
 * a temporary folder, or the one that TEST_DATABASE_URL names (the URL of a role that may make databases and roles).
 * With CI=true a skipped test is a failure: there, everything that a test needs can be installed.
 */
import { readdirSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

import { build, root } from './build.js'
import { gatherLastWords } from './last-words.js'

/** The longest that one file may take. One that hangs has forgotten to close something. */
const fileTimeoutMs = 180_000

build()
const files = testFiles(process.argv.slice(2))
if (files.length === 0) fail('No test file has such a name.')

/** @type {unknown} */
const support = await import(pathToFileURL(join(root, 'dist/test/support/server.js')).href)
const { startTestServer } = /** @type {typeof import('../test/support/server.ts')} */ (support)
const started = startTestServer()
const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    interrupted.abort()
    end(130).catch(() => process.exit(130))
  })
}
const server = await started
Object.assign(process.env, server.env, {
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim(),
})

/** @type {{ passed: number, failed: number, skipped: string[] }} */
const counted = { passed: 0, failed: 0, skipped: [] }
/** One more than there are processors: files wait for chains and browsers as long as they compute. */
const concurrency = availableParallelism() + 1
const results = run({ files, concurrency, timeout: fileTimeoutMs, signal: interrupted.signal })
results.on('test:fail', () => counted.failed++)
results.on('test:pass', ({ name, details, skip, todo }) => {
  if (skip !== undefined || todo !== undefined) counted.skipped.push(name)
  else if (details.type !== 'suite') counted.passed++
})
const lastWords = gatherLastWords(results, files)
const report = /** @type {AsyncIterable<string>} */ (/** @type {unknown} */ (results.compose(new spec())))
for await (const text of report) process.stdout.write(text)
process.stdout.write(lastWords())
await end(verdict())

/** @param {number} status */
async function end(status) {
  await (await started).stop()
  process.exit(status)
}

function verdict() {
  if (counted.failed > 0) return 1
  if (counted.passed === 0) return complain('No test was executed.')
  if (process.env.CI === 'true' && counted.skipped.length > 0) {
    return complain(`Nothing may be skipped here, but was:\n  ${counted.skipped.join('\n  ')}`)
  }
  return 0
}

/** @param {string[]} words */
function testFiles(words) {
  return ['src', 'test']
    .flatMap((folder) => readdirSync(join(root, 'dist', folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.name.endsWith('.test.js'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => words.length === 0 || words.some((word) => relative(root, file).includes(word)))
    .toSorted()
}

/** @param {string} message */
function complain(message) {
  console.error(message)
  return 1
}

/** @param {string} message */
function fail(message) {
  process.exit(complain(message))
}
