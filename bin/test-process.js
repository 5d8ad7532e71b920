/**
 * A process of `npm test`: runs test files one after the other, because loading the service is most of what a short file costs.
 * `TEST_QUEUE` names a folder that several of these share; it holds the list of files and a mark for each one that is taken, which
 * ends up with the seconds of processor time that the file took in this process, and the names of the statements that it sent.
 *
 * Each file is a suite named after it, so its hooks apply to its own tests only. Node's runner finds out by hooks on every promise
 * which suite a call of `test` belongs to, and which test an error that nobody catches came from. They cost a fifth of the suite, so
 * they are on only while a file is loaded, which is when it calls `test`; such an error fails the file that is under way.
 */
import asyncHooks from 'node:async_hooks'
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'

import pg from 'pg'
import { Agent, setGlobalDispatcher } from 'undici'

import { root } from './build.js'

/** How long the process may live on after its last test. Longer means that a test left something open. */
const lingerMs = 20_000

/** How long `fetch` keeps a connection that nothing uses. */
const idleMs = 4_000

const folder = process.env.TEST_QUEUE ?? ''
const { files, timeout } = /** @type {{ files: string[], timeout: number }} */ (
  JSON.parse(readFileSync(join(folder, 'files.json'), 'utf8'))
)

const { describe, hooks } = await loadRunner()
/** @type {unknown} */
const support = await import(pathToFileURL(join(root, 'dist/test/support/database.js')).href)
const { dropTestDatabases } = /** @type {typeof import('../test/support/database.ts')} */ (support)

const seed = process.env.SEED
if (seed !== undefined) (await import('fast-check')).configureGlobal({ seed: Number(seed) })

/** @type {Set<string>} */
let statements = new Set()
recordStatements()
cheapenPasswords()
dropIdleConnections()

let underWay = new AbortController()
for (const event of ['uncaughtException', 'unhandledRejection']) {
  process.on(event, (error) => underWay.abort(error))
}

/** @type {string[]} */
const done = []
for (const [index, file] of files.entries()) {
  if (!take(index)) continue
  const name = relative(root, file)
  done.push(name)
  const before = process.cpuUsage()
  underWay = new AbortController()
  const { signal } = underWay
  hooks.enable()
  await describe(name, { timeout, signal }, () => import(pathToFileURL(file).href).finally(hooks.disable))
  await dropTestDatabases()
  const { user, system } = process.cpuUsage(before)
  const usage = { processorSeconds: (user + system) / 1_000_000, statements: [...statements] }
  writeFileSync(join(folder, String(index)), JSON.stringify(usage))
  statements = new Set()
}
setTimeout(endLingering, lingerMs).unref()

/** Node's runner, and how to turn off what it hooks into every promise once it has been used. */
async function loadRunner() {
  const { createHook } = asyncHooks
  /** @type {ReturnType<typeof createHook> | undefined} */
  let hook
  asyncHooks.createHook = (callbacks) => (hook ??= createHook(callbacks))
  const { describe } = await import('node:test')
  asyncHooks.createHook = createHook
  return { describe, hooks: { enable: () => hook?.enable(), disable: () => hook?.disable() } }
}

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

/** Notes the statements that the code under test sends: those have names, which follow from their texts. */
function recordStatements() {
  /** @type {(...parameters: unknown[]) => unknown} */
  const query = Reflect.get(pg.Client.prototype, 'query')
  Reflect.set(
    pg.Client.prototype,
    'query',
    /** @this {pg.Client} */ function record(/** @type {unknown[]} */ ...parameters) {
      const [statement] = parameters
      if (statement instanceof Object && 'name' in statement && typeof statement.name === 'string')
        statements.add(statement.name)
      return Reflect.apply(query, this, parameters)
    },
  )
}

/**
 * Hashes passwords at the least cost in this process: every exchange that starts hashes two, and most tests of people sign somebody
 * in. A separate process, as of a command, stores what operators' do.
 */
function cheapenPasswords() {
  const argon2 = /** @type {typeof import('@node-rs/argon2')} */ (createRequire(import.meta.url)('@node-rs/argon2'))
  const { hash } = argon2
  /** @type {typeof hash} */
  const cheap = (password, options) => hash(password, { ...options, memoryCost: 8, timeCost: 1 })
  Reflect.set(argon2, 'hash', cheap)
}

/**
 * Has `fetch` drop connections long before servers do. It keeps them until a second before, and on a busy machine that is the very
 * moment in which it sends one more request, which is lost with the connection.
 */
function dropIdleConnections() {
  setGlobalDispatcher(new Agent({ keepAliveTimeout: idleMs, keepAliveMaxTimeout: idleMs }))
}

function endLingering() {
  const resources = process.getActiveResourcesInfo().join(', ')
  console.error(`One of these files left something open (${resources}):\n  ${done.join('\n  ')}`)
  process.exit(1)
}
