import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import type { Sandbox } from '../../src/sandbox/sandbox-file.ts'
import { runCommand } from '../support/command.ts'
import { promised } from '../support/promised.ts'
import { type Chance, openChance } from './chance.ts'
import { type Load, startLoad } from './load.ts'
import { type MortalDatabase, openMortalDatabase } from './mortal-database.ts'
import { problemsOf } from './must-hold.ts'
import { type Supervised, supervise } from './supervised.ts'
import { startReceiver, type Receiver } from './receiver.ts'

/** How often to kill, the seed of when and whom, and settings of the service that differ from an operator's. */
export type CrashOrder = {
  kills: number
  seed: number
  settings?: Record<string, string>
  tell?: (line: string) => void
}

/** What came of it. `problems` are sentences; none means that everything held. */
export type CrashReport = { problems: string[]; figures: Figures; logs: string }

type Figures = {
  killed: Record<string, number>
  created: number
  deposited: number
  answers: Record<string, number>
  starts: Record<string, number>
  /** What processes said that ended by themselves, and how often: those that found no database at their start. */
  endedByThemselves: Record<string, number>
  webhooks: number
  /** From the last kill until every transaction had ended and every webhook had come. */
  calmAfterSeconds: number
}

/** "All ended within a minute after": what takes longer is stuck. */
const calmWithinMs = promised(60_000)
const victims: [Victim, ...Victim[]] = ['api', 'worker', 'database', 'backend']
type Victim = 'api' | 'worker' | 'database' | 'backend'

/**
 * Runs an API process, a worker process and a PostgreSQL under a load of creates and deposits, kills one of them at a time
 * with `kill -9`, has it started again with the same command, and looks afterwards whether everything that was
 * acknowledged came to its end, once.
 */
export async function crash({ kills, seed, settings = {}, tell = () => undefined }: CrashOrder): Promise<CrashReport> {
  const folder = mkdtempSync(join(tmpdir(), 'cambio-crash-'))
  const ends: (() => Promise<unknown>)[] = []
  try {
    const stage = await raise(folder, settings, ends)
    const chance = openChance(seed)
    const load = startLoad(stage.sandbox, openChance(seed + 1))
    await untilPaid(load, 8)
    const killed = await killAround(stage, { load, chance, kills, tell })
    const calmAfterMs = await calm(stage, load)
    const { api, worker, receiver } = stage
    const problems = await problemsOf({ ...stage, load })
    if (calmAfterMs > calmWithinMs) problems.push(`It took ${calmAfterMs} ms until all had ended.`)
    return {
      problems,
      logs: [api, worker].map((one) => complaintsIn(one)).join('\n'),
      figures: {
        killed,
        created: load.drives.filter(({ id }) => id !== undefined).length,
        deposited: load.paid(),
        answers: Object.fromEntries(load.answers),
        starts: { api: api.starts(), worker: worker.starts() },
        endedByThemselves: countsOf([...api.lastWords, ...worker.lastWords].map((words) => words.slice(0, 120))),
        webhooks: receiver.deliveries(),
        calmAfterSeconds: Math.round(calmAfterMs / 100) / 10,
      },
    }
  } finally {
    for (const end of ends.toReversed()) await end()
    rmSync(folder, { recursive: true, force: true })
  }
}

type Stage = {
  database: MortalDatabase
  api: Supervised
  worker: Supervised
  receiver: Receiver
  sandbox: Sandbox
  env: Record<string, string>
}

/** Starts everything, and resolves when the first partner's endpoint is registered. `ends` are called the last one first. */
async function raise(
  folder: string,
  settings: Record<string, string>,
  ends: (() => Promise<unknown>)[],
): Promise<Stage> {
  const receiver = await startReceiver()
  ends.push(() => receiver.close())
  const database = await openMortalDatabase(folder)
  ends.push(() => database.stop())
  const [port, processorPort, apiAdmin, workerAdmin] = await Promise.all([
    freePort(),
    freePort(),
    freePort(),
    freePort(),
  ])
  const { PATH = '', HOME = '' } = process.env
  const env = {
    PATH,
    HOME,
    DATA_DIR: folder,
    DATABASE_URL: database.url,
    PORT: String(port),
    PROCESSOR_PORT: String(processorPort),
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'warn',
    CONFIRMATIONS: 'BTC=2',
    ...settings,
  }
  const start = (name: string, roles: string, adminPort: number): Supervised => {
    const own = { ...env, ROLES: roles, ADMIN_PORT: String(adminPort) }
    const started = supervise(name, own, join(folder, `${name}.log`))
    ends.push(() => started.end())
    return started
  }
  const api = start('api', 'api', apiAdmin)
  const origin = `http://127.0.0.1:${port}`
  const sandbox = await untilThere(() => sandboxIn(folder, origin)).catch((cause: unknown) => {
    throw new Error(`The API did not open:\n${api.output().slice(-2_000)}`, { cause })
  })
  const worker = start('worker', 'worker,rates', workerAdmin)
  await until(() => answers(`${origin}/v1/status`))
  const added = await runCommand(['webhook', 'add', receiver.url, '--partner', sandbox.partner_id], env)
  if (added.exitCode !== 0) throw new Error(`The endpoint was not registered: ${added.err}`)
  return { database, api, worker, receiver, sandbox, env }
}

/** `sandbox.json` is written right after the service has begun to answer. */
function sandboxIn(folder: string, origin: string): Sandbox | undefined {
  try {
    const found = JSON.parse(readFileSync(join(folder, 'sandbox.json'), 'utf8')) as Sandbox
    return new URL(found.url).port === new URL(origin).port ? found : undefined
  } catch {
    return undefined
  }
}

/**
 * Kills one after the other at random moments: three of four while the load continues, the others whatever state the exchange is
 * in, before it has come back from the last one. Gives how often each was killed.
 */
async function killAround(
  { database, api, worker }: Stage,
  { load, chance, kills, tell }: { load: Load; chance: Chance; kills: number; tell: (line: string) => void },
): Promise<Record<string, number>> {
  const killed: Record<string, number> = {}
  let rebirth: Promise<void> = Promise.resolve()
  for (let index = 1; index <= kills; index += 1) {
    if (chance.number() < 0.75) await untilPaid(load, load.paid() + 2)
    await wait(chance.between(0, 1_000))
    const victim = chance.pick(victims)
    tell(`kill ${index} of ${kills}: ${victim}`)
    killed[victim] = (killed[victim] ?? 0) + 1
    if (victim === 'api') api.kill()
    if (victim === 'worker') worker.kill()
    if (victim === 'database') {
      await rebirth
      rebirth = database.killAll()
      rebirth.catch(() => undefined)
    }
    if (victim === 'backend') await database.killBackend()
  }
  await rebirth
  return killed
}

/** Resolves when every transaction has ended and its events were delivered, or long after it should have. Gives the milliseconds. */
async function calm({ database, receiver }: Stage, load: Load): Promise<number> {
  const since = performance.now()
  await load.finish()
  const isCalm = async () => {
    const rows = await database
      .ask<{ id: string; events: number; status: string }>('select public_id as id, events, status from transactions')
      .catch(() => undefined)
    return rows?.every(({ id, events, status }) => status === 'finished' && receiver.lastOf(id) === events) ?? false
  }
  while (performance.now() - since < 2 * calmWithinMs && !(await isCalm())) await wait(100)
  return Math.round(performance.now() - since)
}

function countsOf(words: string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const one of words) counts[one] = (counts[one] ?? 0) + 1
  return counts
}

/** What a process has complained of, to find out why something went wrong. */
const complaintsIn = ({ name, output }: Supervised): string =>
  output()
    .split('\n')
    .filter((line) => /^[^{ ]/.test(line) || line.includes('"level":50'))
    .slice(-40)
    .map((line) => `${name}: ${line.slice(0, 600)}`)
    .join('\n')

const untilPaid = (load: Load, count: number): Promise<void> => until(() => load.paid() >= count)

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

const startWithinMs = 300_000

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  await untilThere(async () => ((await isSo()) ? true : undefined))
}

async function untilThere<Found>(look: () => Found | undefined | Promise<Found | undefined>): Promise<Found> {
  const end = performance.now() + startWithinMs
  while (performance.now() < end) {
    const found = await look()
    if (found !== undefined) return found
    await wait(20)
  }
  throw new Error('The exchange did not come to work.')
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer()
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(address && typeof address === 'object' ? address.port : 0))
    })
  })
}
