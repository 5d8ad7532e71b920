/**
 * `npm test`: builds, starts one database server, and runs the test files with Node's test runner.
 *
 *   npm test                      everything except the tests that bin/check runs in steps of their own
 *   npm test -- ledger house      only files whose path contains one of these texts
 *   npm test -- '!browser'        all files except those whose path contains this text
 *   npm test -- --record FILE     also writes which statements each file sent, and how long it took
 *   npm test -- --nearest         only the nearest test of each source that uses a module of Node or a package
 *   npm test -- --covering FILE   only files that together, and with the nearest if those are wanted, send every statement of such a record
 *
 * Each test file gets its own database, a copy of one migrated template. The server is an embedded PostgreSQL in a temporary
 * folder, or the one at TEST_DATABASE_URL (a role that may create databases and roles).
 * With CI=true a skipped test is a failure: there, everything a test needs can be installed. Only what a rail has no counterpart
 * for is skipped there, too.
 */
import { setMaxListeners } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { run } from 'node:test'
import { pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'

/** @import { SuiteRecord } from '../test/support/selection.ts' */

import { build, root } from './build.js'
import { openReport } from './report.js'

/** A process that takes longer than this hangs. */
const processTimeoutMs = 3_600_000

/** The same for a file. `npm run axe` checks pages for longer. */
const fileTimeoutMs = process.env.PAGES === 'all' ? processTimeoutMs : 1_200_000

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

/** Files that start first because they take longest, in this order. */
const longest = [
  'test/browser/every-form.test.js',
  'test/stories/dispute-paths.test.js',
  'src/rails/bitcoin/sending/refused.test.js',
  'test/browser/layout.test.js',
  'test/stories/go-live.test.js',
  'test/stories/every-road.test.js',
  'test/browser/axe.test.js',
  'test/stories/killed-sandbox-posts.test.js',
  'test/stories/chains-drill.test.js',
  'test/stories/forms-refused.test.js',
  'test/browser/roads.test.js',
  'src/rails/iso20022/booking/gap-orders.test.js',
  'test/stories/month-of-a-firm.test.js',
  'src/exchange/operators/operator.test.js',
  'test/stories/fuzz.test.js',
  'test/stories/live-story.test.js',
  'src/markets/sources/order-books.test.js',
  'test/stories/bank-gap',
  'test/stories/forms-possible.test.js',
  'test/papers.test.js',
  'src/rails/bitcoin/seeds.test.js',
]

const { values: options, positionals: filters } = parseArgs({
  options: { record: { type: 'string' }, covering: { type: 'string' }, nearest: { type: 'boolean' } },
  allowPositionals: true,
})
build()
/** @type {unknown} */
const rules = await import(pathToFileURL(join(root, 'dist/test/support/selection.js')).href)
const { coveringTests, nearestTests, readImports } = /** @type {typeof import('../test/support/selection.ts')} */ (
  rules
)
const files = selected(testFiles(filters))
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

const program = join(root, 'bin/test-process.js')
const processes = Array.from({ length: Math.min(concurrency, queued.length) }, () => program)
/** @type {unknown} */
const suite = await import(pathToFileURL(join(root, 'dist/src/rails/conformance/no-counterpart.js')).href)
const { noCounterpart } = /** @type {typeof import('../src/rails/conformance/no-counterpart.ts')} */ (suite)
const report = openReport(
  (line) => console.log(line),
  (name) => usageOf(name)?.processorSeconds,
  noCounterpart,
)
const { counts } = report
// A run for each process: one run of several would hold back what a process reports until those before it have ended.
await Promise.all(
  [...single, ...processes].map((file) =>
    report.follow(run({ files: [file], timeout: processTimeoutMs, signal: interrupted.signal }), file),
  ),
)
report.finish()
if (options.record !== undefined) writeFileSync(options.record, JSON.stringify(recordOfRun()))
await end(verdict() || (await formsLeft()))

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

/** @typedef {{ processorSeconds: number, statements: string[] }} Usage */

/**
 * What a process noted of a file: seconds of processor time there, not the database's or a browser's, and statements.
 *
 * @param {string} name
 * @returns {Usage | undefined}
 */
function usageOf(name) {
  const index = queued.findIndex((file) => relative(root, file) === name)
  const mark = join(queue, String(index))
  const text = index >= 0 && existsSync(mark) ? readFileSync(mark, 'utf8') : ''
  return text === '' ? undefined : /** @type {Usage} */ (JSON.parse(text))
}

/** @returns {SuiteRecord} */
function recordOfRun() {
  return Object.fromEntries(
    report.files.map(({ name, seconds }) => [name, { seconds, statements: usageOf(name)?.statements ?? [] }]),
  )
}

/** @param {string[]} tests */
function selected(tests) {
  if (!options.nearest && options.covering === undefined) return tests
  const chosen = new Set(options.nearest ? nearestTests(readImports(), tests) : [])
  if (options.covering !== undefined) {
    const record = /** @type {SuiteRecord} */ (JSON.parse(readFileSync(options.covering, 'utf8')))
    const names = new Set(tests.map((file) => relative(root, file)))
    const own = Object.fromEntries(Object.entries(record).filter(([name]) => names.has(name)))
    for (const name of coveringTests(
      own,
      [...chosen].map((file) => relative(root, file)),
    ))
      chosen.add(join(root, name))
  }
  return tests.filter((file) => chosen.has(file))
}

function verdict() {
  if (counts.failed > 0) return 1
  if (counts.passed === 0) return complain('No test ran.')
  const left = queued.filter((_file, index) => !existsSync(join(queue, String(index))))
  if (left.length > 0) return complain(`These files did not run:\n  ${left.join('\n  ')}`)
  if (process.env.CI === 'true' && counts.skipped.length > 0) {
    return complain(`With CI=true no test may be skipped, but these were:\n  ${counts.skipped.join('\n  ')}`)
  }
  return 0
}

/** After a whole run: whether a form was sent by no browser. */
async function formsLeft() {
  if (filters.length > 0 || options.nearest || options.covering !== undefined) return 0
  /** @type {unknown} */
  const register = await import(pathToFileURL(join(root, 'dist/test/support/form-routes.js')).href)
  const { unpostedForms } = /** @type {{ unpostedForms(run: string): Promise<string[] | undefined> }} */ (register)
  const left = (await unpostedForms(queue)) ?? []
  return left.length === 0 ? 0 : complain(`No test sends these forms in a browser:\n  ${left.join('\n  ')}`)
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
  const first = longest.flatMap((name) => tests.filter((file) => isOneOf([name], file)))
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
