import { createHash } from 'node:crypto'

import pg from 'pg'

import { type Connect, connect, type Connection, type Result } from '../../src/platform/db/connection.ts'
import type { Statement } from '../../src/platform/db/sql.ts'
import type { Dice } from './dice.ts'
import type { Fault } from './fault.ts'

/** A process's connections to the database, as the scheduler lends them. */
export type Wires = {
  /** For the process's pool. */
  connect: Connect
  /** True once it was killed: nothing of it reaches the database any more. */
  isDead(): boolean
  /** Kills it now. */
  kill(): Promise<void>
}

/** Decides which statement reaches the database next: one at a time, of all processes, in an order that the seed gives. */
export type Scheduler = {
  wires(name: string): Wires
  /** Runs tasks side by side until all have ended, and gives what reached the database for it. A fault strikes once. */
  run(tasks: (() => Promise<void>)[], fault?: Fault): Promise<Carried>
  /** Does something outside of the scheduler. Nothing else goes on until it is over, and of several things each in its turn. */
  hold<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

/** What reached the database: how many statements, and a digest of which, from whom, in which order. */
export type Carried = { count: number; order: string }

/** A statement that a process has sent and that has not been answered. */
type Sent = { statement: Statement; resolve(result: Result): void; reject(error: unknown): void }

/** One connection of a process. */
type Line = {
  process: { name: string; isDead: boolean }
  real: Connection
  pid: number
  queue: Sent[]
  /** What the database is working on, or waiting with, for this line. */
  inFlight: { done: boolean; answer: Promise<void> } | undefined
  inBlock: boolean
  lose(): void
}

/** How long a step may do nothing before it counts as hanging, in real milliseconds. */
const patienceMs = 120_000

const lost = (): Error => new Error('Connection terminated unexpectedly')

/** Work of the runtime's own threads: hashing, files. What goes on after it would come sooner or later as it pleases. */
const isThreads = (name: string): boolean => /FSReq|SCRYPT|RANDOM|PBKDF|KEYPAIR|KEYGEN|SIGN|HASH|CIPHER|Job/i.test(name)

/** Lets everything go on that waits for nothing but a turn of the event loop, or for the runtime itself. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 3; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve))
    if (process.getActiveResourcesInfo().some(isThreads)) turns = -1
  }
}

const soon = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Opens a scheduler for one database; `ownerUrl` is whose role may look at locks and end connections. */
export async function openScheduler(ownerUrl: string, dice: Dice): Promise<Scheduler> {
  const owner = new pg.Client({ connectionString: ownerUrl })
  await owner.connect()
  let lines: Line[] = []
  /** What is done outside: connections that are opened, looks behind everybody's back. */
  let held = 0
  let count = 0
  let order = createHash('sha256')
  let armed: Fault | undefined

  async function cut(line: Line): Promise<void> {
    lines = lines.filter((other) => other !== line)
    await owner.query('select pg_terminate_backend($1)', [line.pid])
    // Its locks are gone when it is. The function's own way of waiting looks ten times a second only.
    while ((await owner.query('select 1 from pg_stat_activity where pid = $1', [line.pid])).rows.length > 0)
      await settled()
    await line.inFlight?.answer
    line.lose()
    for (const sent of line.queue.splice(0)) sent.reject(lost())
  }

  async function kill(process: Line['process']): Promise<void> {
    process.isDead = true
    for (const line of lines.filter((one) => one.process === process)) await cut(line)
  }

  /** Waits until a line's statement is answered, or is seen to wait for a lock that another line holds. */
  async function answeredOrBlocked(line: Line): Promise<void> {
    const flight = line.inFlight
    if (!flight) return
    await (lines.some((other) => other !== line && other.inBlock)
      ? Promise.race([flight.answer, soon(4)])
      : flight.answer)
    while (!flight.done) {
      const { rows } = await owner.query<{ pids: number[] }>('select pg_blocking_pids($1) as pids', [line.pid])
      if (rows[0]?.pids.some((pid) => lines.some((other) => other.pid === pid))) return
      await Promise.race([flight.answer, soon(1)])
    }
  }

  /** The same of all lines: one that was answered may let others go on, which then are looked at once more. */
  async function allAnsweredOrBlocked(): Promise<void> {
    let isAnswered = true
    while (isAnswered) {
      isAnswered = false
      for (const line of lines.filter(({ inFlight }) => inFlight)) {
        await answeredOrBlocked(line)
        if (!line.inFlight) isAnswered = true
      }
    }
  }

  function send(line: Line, sent: Sent, statement = sent.statement): void {
    const flight = { done: false, answer: Promise.resolve() }
    line.inFlight = flight
    flight.answer = carry(line, sent, statement).finally(() => {
      flight.done = true
      line.inFlight = undefined
    })
  }

  /** Lets one statement go to the database, or what befalls it instead. */
  async function step(line: Line): Promise<void> {
    const sent = line.queue.shift()
    if (!sent) return
    count += 1
    order.update(`${line.process.name} ${lines.indexOf(line)} ${sent.statement.text}\n`)
    const fault = strikes(line, sent)
    if (fault === undefined) {
      send(line, sent)
      return answeredOrBlocked(line)
    }
    armed = undefined
    if (fault === '40001' || fault === '40P01') {
      send(line, sent, raising(fault))
      return answeredOrBlocked(line)
    }
    if (fault.endsWith('after')) {
      send(line, { ...sent, resolve: () => sent.reject(lost()) })
      await answeredOrBlocked(line)
    } else sent.reject(lost())
    await (fault.startsWith('die') ? kill(line.process) : cut(line))
  }

  function strikes(line: Line, { statement }: Sent): Fault['kind'] | undefined {
    if (!armed || count < armed.at) return undefined
    const isOfBlocks = armed.kind === '40001' || armed.kind === '40P01'
    if (isOfBlocks && (!line.inBlock || statement.text === 'rollback')) return undefined
    return armed.kind
  }

  async function run(tasks: (() => Promise<void>)[], fault?: Fault): Promise<Carried> {
    armed = fault
    count = 0
    order = createHash('sha256')
    let left = tasks.length
    let failure: Error | undefined
    for (const task of tasks) {
      task()
        .catch((error: unknown) => (failure ??= error instanceof Error ? error : new Error(String(error))))
        .finally(() => (left -= 1))
    }
    let idleSince = performance.now()
    for (;;) {
      await settled()
      if (held === 0) {
        const ready = lines.filter((line) => line.queue.length > 0 && !line.inFlight)
        if (ready.length > 0) {
          const line = ready.length === 1 && ready[0] ? ready[0] : dice.pick(ready)
          await step(line)
          await allAnsweredOrBlocked()
          idleSince = performance.now()
          continue
        }
        const waiting = lines.flatMap(({ inFlight }) => inFlight?.answer ?? [])
        if (waiting.length > 0) await Promise.race([...waiting, soon(100)])
        else if (left === 0) break
      }
      if (performance.now() - idleSince > patienceMs) throw new Error('A step hangs: it waits for nothing that comes.')
      await soon(0)
    }
    armed = undefined
    if (failure) throw failure
    return { count, order: order.digest('hex').slice(0, 8) }
  }

  function wires(name: string): Wires {
    const process = { name, isDead: false }
    const open: Connect = async (options, onLost) => {
      if (process.isDead) throw lost()
      const real = await connect(options, () => undefined)
      if (process.isDead) {
        await real.end()
        throw lost()
      }
      const { rows } = await real.run({ text: 'select pg_backend_pid() as pid', name: undefined, values: [] })
      const { pid } = rows[0] as { pid: number }
      const line: Line = { process, real, pid, queue: [], inFlight: undefined, inBlock: false, lose: () => undefined }
      const wire = wireOf(line)
      line.lose = () => {
        wire.lost = true
        onLost(wire)
      }
      lines.push(line)
      return wire
    }
    return {
      connect: (options, onLost) => hold(() => open(options, onLost)),
      isDead: () => process.isDead,
      kill: () => kill(process),
    }
  }

  let outside: Promise<unknown> = Promise.resolve()
  const hold = async <T>(work: () => Promise<T>): Promise<T> => {
    held += 1
    try {
      // Connections that are opened side by side would be there in an order that nobody has given.
      const mine = outside.then(work)
      outside = mine.catch(() => undefined)
      return await mine
    } finally {
      held -= 1
    }
  }

  return { wires, run, hold, close: () => owner.end() }
}

/** Brings a statement to the database, and its answer to whoever has sent it. */
async function carry(line: Line, { resolve, reject }: Sent, statement: Statement): Promise<void> {
  try {
    const result = await line.real.run(statement)
    if (statement.text === 'begin') line.inBlock = true
    if (isEnd(statement)) line.inBlock = false
    resolve(result)
  } catch (error) {
    reject(error)
  }
}

/** A connection whose statements wait until they are let go. */
function wireOf(line: Line): Connection {
  const wire: Connection = {
    host: line.real.host,
    answered: 0,
    busy: 0,
    taken: false,
    lost: false,
    run: (statement) => {
      if (wire.lost) return Promise.reject(lost())
      // Nobody listens to bells here, and they ring by timers.
      if (statement.text.includes('pg_notify')) return Promise.resolve({ rows: [], command: 'SELECT' })
      wire.busy += 1
      return new Promise<Result>((resolve, reject) => line.queue.push({ statement, resolve, reject })).finally(() => {
        wire.busy -= 1
        wire.answered += 1
      })
    },
    end: () => line.real.end(),
    destroy: () => line.real.destroy(),
  }
  return wire
}

const isEnd = ({ text }: Statement): boolean => text === 'commit' || text === 'rollback'

/** Makes the database itself refuse, so that the block is over for it too. */
const raising = (code: '40001' | '40P01'): Statement => ({
  text: `do $$ begin raise exception 'a fault of the simulation' using errcode = '${code}'; end $$`,
  name: undefined,
  values: [],
})
