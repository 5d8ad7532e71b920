/**
 * `npm test`: builds, makes one database server ready, and runs every test file with Node's own runner.
 *
 *   npm test                      everything but what has a step of its own in bin/check
 *   npm test -- ledger house      the files whose path contains one of these words
 *   npm test -- '!browser'        all others
 *
 * Each test file gets a database of its own, copied from one migrated template. The server is an embedded PostgreSQL in
 * a temporary folder, or the one that TEST_DATABASE_URL names (the URL of a role that may make databases and roles).
 * Many files share a process, one after the other: loading the service is most of what a short file costs.
 * With CI=true a skipped test is a failure: there, everything that a test needs can be installed.
 */
import { setMaxListeners } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

import { build, root } from './build.js'
import { leftIn, makeQueue } from './file-queue.js'
import { gatherLastWords } from './last-words.js'
import { useMemoryFolder } from './memory-folder.js'

/** The longest that one file may take. One that hangs has forgotten to close something. */
const fileTimeoutMs = 180_000

/** How many files share a process, one after the other. */
const filesTogether = 24

/** Files that have a process for themselves: they measure it, load a lot of their own, or run long. */
const alone = [
  'test/browser/',
  'test/simulation/',
  'test/crash/',
  'test/stories/cost-of-a-buy.test.js',
  'test/stories/every-road.test.js',
  'test/stories/fuzz.test.js',
]

/** What is run only where a word asks for it, because it is long: bin/check has a step of its own for it. */
const apart = ['test/benchmarks.test.js', 'test/simulation/']

/** What is written for this run. */
const folder = join(root, `dist/together-${process.pid}`)
const queue = join(folder, 'queue')

build()
const files = testFiles(process.argv.slice(2))
if (files.length === 0) fail('No test file has such a name.')
useMemoryFolder()

/** @type {unknown} */
const support = await import(pathToFileURL(join(root, 'dist/test/support/server.js')).href)
const { startTestServer } = /** @type {typeof import('../test/support/server.ts')} */ (support)
const started = startTestServer()
/** @type {Promise<void> | undefined} */
let stopped
const interrupted = new AbortController()
// Each program that runs listens.
setMaxListeners(0, interrupted.signal)
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
/** Two more than there are processors: files wait for chains and browsers as long as they compute. */
const concurrency = availableParallelism() + 2
const runs = gather(files)
const timeout = filesTogether * fileTimeoutMs
const results = run({ files: runs, concurrency, timeout, signal: interrupted.signal })
results.on('test:fail', () => counted.failed++)
results.on('test:pass', ({ name, details, skip, todo }) => {
  if (skip !== undefined || todo !== undefined) counted.skipped.push(name)
  else if (details.type !== 'suite') counted.passed++
})
const lastWords = gatherLastWords(results, runs)
const report = /** @type {AsyncIterable<string>} */ (/** @type {unknown} */ (results.compose(new spec())))
for await (const text of report) process.stdout.write(text)
process.stdout.write(lastWords())
await end(verdict())

/**
 * A run that is interrupted ends twice, by the signal and by itself.
 *
 * @param {number} status
 */
async function end(status) {
  stopped ??= started.then((one) => one.stop())
  await stopped
  process.exit(status)
}

function verdict() {
  if (counted.failed > 0) return 1
  if (counted.passed === 0) return complain('No test was executed.')
  const left = existsSync(queue) ? leftIn(queue) : []
  if (left.length > 0) return complain(`Nobody has run these:\n  ${left.join('\n  ')}`)
  if (process.env.CI === 'true' && counted.skipped.length > 0) {
    return complain(`Nothing may be skipped here, but was:\n  ${counted.skipped.join('\n  ')}`)
  }
  return 0
}

/** @param {string[]} words */
function testFiles(words) {
  const unwanted = words.filter((word) => word.startsWith('!')).map((word) => word.slice(1))
  const wanted = words.filter((word) => !word.startsWith('!'))
  return (
    ['src', 'test']
      .flatMap((top) => readdirSync(join(root, 'dist', top), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.name.endsWith('.test.js'))
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((file) =>
        wanted.length === 0 ? !isOneOf(apart, file) : wanted.some((word) => relative(root, file).includes(word)),
      )
      .filter((file) => !unwanted.some((word) => relative(root, file).includes(word)))
      .toSorted()
      // Those of whole stories first: they run longer.
      .toReversed()
  )
}

/**
 * The programs to run: a file that is alone, or one that is written here and takes files from a queue.
 *
 * @param {string[]} tests
 */
function gather(tests) {
  const single = tests.filter((file) => isOneOf(alone, file))
  const others = tests.filter((file) => !isOneOf(alone, file))
  if (tests.length <= concurrency || others.length === 0) return tests
  mkdirSync(folder)
  process.once('exit', () => rmSync(folder, { recursive: true }))
  makeQueue(queue, others)
  const count = Math.max(Math.ceil(others.length / filesTogether), Math.min(others.length, concurrency))
  const written = Array.from({ length: count }, (_, at) => {
    const program = join(folder, `${at + 1}.js`)
    const limits = JSON.stringify({ most: filesTogether, timeoutMs: fileTimeoutMs })
    writeFileSync(
      program,
      `import { runTogether } from '../../bin/together.js'\nawait runTogether(${JSON.stringify(queue)}, ${limits})\n`,
    )
    return program
  })
  // In turn, so that browsers, which are alone, are not all open at the same time.
  const each = single.length / written.length
  return written.flatMap((program, at) => [
    ...single.slice(Math.round(at * each), Math.round((at + 1) * each)),
    program,
  ])
}

/**
 * @param {string[]} names how their paths begin
 * @param {string} file
 */
function isOneOf(names, file) {
  return names.some((name) => relative(join(root, 'dist'), file).startsWith(name))
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
