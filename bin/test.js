/**
 * `npm test`: builds, starts one database server, and runs the test files with Node's test runner.
 *
 *   npm test                      everything except the tests that bin/check runs in steps of their own
 *   npm test -- ledger house      only files whose path contains one of these texts
 *   npm test -- '!browser'        all files except those whose path contains this text
 *
 * Each test file gets its own database, a copy of one migrated template. The server is an embedded PostgreSQL in a temporary
 * folder, or the one at TEST_DATABASE_URL (a role that may create databases and roles).
 * With CI=true a skipped test is a failure: there, everything a test needs can be installed.
 */
import { setMaxListeners } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { spec } from 'node:test/reporters'
import { pathToFileURL } from 'node:url'

import { build, root } from './build.js'

/** A process that takes longer than this hangs. */
const processTimeoutMs = 3_600_000

/** The same for a file. `npm run axe` checks pages for longer. */
const fileTimeoutMs = process.env.PAGES === 'all' ? processTimeoutMs : 600_000

/** Most tests wait for a database, a chain or a browser most of the time. */
const concurrency = availableParallelism() * 3

/** Files that get their own process: they kill the processes around them. */
const alone = ['test/crash/', 'test/simulation/']

/** Files that run only when named, each in a step of bin/check: they take long, or measure what other tests would disturb. */
const onlyWhenNamed = [
  'test/benchmarks.test.js',
  'test/simulation/',
  'test/stories/cost-of-a-buy.test.js',
  'test/stories/foreign-ids.test.js',
]

/** Files that start first because they take longest. */
const longest = [
  'test/browser/axe.test.js',
  'test/browser/layout.test.js',
  'test/browser/roads.test.js',
  'test/stories/every-road.test.js',
  'test/stories/fuzz.test.js',
]

build()
const files = testFiles(process.argv.slice(2))
if (files.length === 0) fail('No test file matches.')
const single = files.filter((file) => isOneOf(alone, file))
const queued = inOrder(files.filter((file) => !isOneOf(alone, file)))

/** @type {unknown} */
const support = await import(pathToFileURL(join(root, 'dist/test/support/server.js')).href)
const { startTestServer } = /** @type {typeof import('../test/support/server.ts')} */ (support)
const starting = startTestServer()
/** @type {Promise<void> | undefined} */
let stopping
const interrupted = new AbortController()
// Each test process adds a listener.
setMaxListeners(0, interrupted.signal)
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    interrupted.abort()
    end(130).catch(() => process.exit(130))
  })
}
const server = await starting
const queue = mkdtempSync(join(tmpdir(), 'cambio-test-queue-'))
process.once('exit', () => rmSync(queue, { recursive: true, force: true }))
writeFileSync(join(queue, 'files.json'), JSON.stringify({ files: queued, timeout: fileTimeoutMs }))
Object.assign(process.env, server.env, {
  TEST_QUEUE: queue,
  NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim(),
})

/** @type {{ passed: number, failed: number, skipped: string[] }} */
const counted = { passed: 0, failed: 0, skipped: [] }
const program = join(root, 'bin/test-process.js')
const processes = Array.from({ length: Math.min(concurrency, queued.length) }, () => program)
const results = run({
  files: [...single, ...processes],
  concurrency,
  timeout: processTimeoutMs,
  signal: interrupted.signal,
})
results.on('test:fail', () => counted.failed++)
results.on('test:pass', ({ name, details, skip, todo }) => {
  if (skip !== undefined || todo !== undefined) counted.skipped.push(name)
  else if (details.type !== 'suite') counted.passed++
})
const report = /** @type {AsyncIterable<string>} */ (/** @type {unknown} */ (results.compose(new spec())))
for await (const text of report) process.stdout.write(text)
await end(verdict())

/**
 * An interrupted run gets here twice: by the signal, and when its processes have ended.
 *
 * @param {number} status
 */
async function end(status) {
  stopping ??= starting.then((started) => started.stop())
  await stopping
  process.exit(status)
}

function verdict() {
  if (counted.failed > 0) return 1
  if (counted.passed === 0) return complain('No test ran.')
  const left = queued.filter((_file, index) => !existsSync(join(queue, String(index))))
  if (left.length > 0) return complain(`These files did not run:\n  ${left.join('\n  ')}`)
  if (process.env.CI === 'true' && counted.skipped.length > 0) {
    return complain(`With CI=true no test may be skipped, but these were:\n  ${counted.skipped.join('\n  ')}`)
  }
  return 0
}

/** @param {string[]} filters */
function testFiles(filters) {
  const unwanted = filters.filter((text) => text.startsWith('!')).map((text) => text.slice(1))
  const wanted = filters.filter((text) => !text.startsWith('!'))
  return ['src', 'test']
    .flatMap((top) => readdirSync(join(root, 'dist', top), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.name.endsWith('.test.js'))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) =>
      wanted.length === 0 ? !isOneOf(onlyWhenNamed, file) : wanted.some((text) => relative(root, file).includes(text)),
    )
    .filter((file) => !unwanted.some((text) => relative(root, file).includes(text)))
}

/**
 * The order in which files start: the longest first, unit tests last, and browser tests spread out, so that few browsers run at
 * the same time.
 *
 * @param {string[]} tests
 */
function inOrder(tests) {
  const first = tests.filter((file) => isOneOf(longest, file))
  const browser = tests.filter((file) => isOneOf(['test/browser/'], file) && !first.includes(file))
  const others = tests.filter((file) => !first.includes(file) && !browser.includes(file))
  /** @type {(list: string[], share: number) => { file: string, place: number }[]} */
  const spread = (list, share) => list.map((file, index) => ({ file, place: (index / list.length) * share }))
  return [...spread(first, 0), ...spread(browser, 0.6), ...spread(others.toSorted().toReversed(), 1)]
    .toSorted((one, other) => one.place - other.place)
    .map(({ file }) => file)
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
