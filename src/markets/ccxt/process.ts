import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

import { stopwatch } from '../../platform/lib/clock.ts'
import type { Log } from '../../platform/lib/log.ts'
import type { Answer, Question, VenueFailure, VenueMethod, VenueSettings } from './messages.ts'

/** The classes of ccxt that say for certain that the exchange did nothing. Everything else leaves it open. */
const refusals = [
  'ArgumentsRequired',
  'AuthenticationError',
  'BadSymbol',
  'InsufficientFunds',
  'InvalidOrder',
  'NotSupported',
  'PermissionDenied',
]

/**
 * A call of an exchange that failed. `isRefusal` says that the exchange plainly refused it: nothing happened there. Without it,
 * whether anything happened is unknown, and an order must be looked for before it is sent again.
 */
export class VenueError extends Error {
  readonly isRefusal: boolean
  readonly classes: readonly string[]
  readonly retryAfterMs: number | undefined

  constructor({ classes, message, retryAfterMs }: VenueFailure) {
    super(message)
    this.name = 'VenueError'
    this.classes = classes
    // OrderNotFound is an InvalidOrder, but an answer to a question about an order: it may only not be visible yet.
    this.isRefusal = classes.some((one) => refusals.includes(one)) && !classes.includes('OrderNotFound')
    this.retryAfterMs = retryAfterMs
  }
}

/** An exchange by ccxt. `args` are those of ccxt's unified method; amounts and prices are decimal texts, in and out. */
export type VenueCalls = { call(method: VenueMethod, ...args: unknown[]): Promise<unknown> }

/** The child process that runs ccxt. It starts with the first call, and again when it has died. */
export type CcxtProcess = {
  /** Adds an exchange under a name of ours. The same name again replaces its settings. */
  venue(name: string, settings: VenueSettings): VenueCalls
  /** The child's process id while it runs. */
  pid(): number | undefined
  /** Ends the child; calls under way fail, and so does every later one. */
  stop(): Promise<void>
}

export type CcxtOptions = {
  log: Log
  /** How long an exchange may take for one request. */
  timeoutMs: number
  /** How long after a start the child may be started again, if it has died. */
  restMs?: number
  /** The heap of the child, in megabytes. */
  heapMb?: number
}

/** The child gives up on a request after `timeoutMs`. One that is silent for so much longer is stuck, and is ended. */
const graceMs = 10_000

type Waiting = { resolve(value: unknown): void; reject(error: unknown): void; timer: NodeJS.Timeout }

/**
 * Runs ccxt in a child process, so that its size and its faults stay there: the calling process never loads it. The child gets
 * no environment: what it must know, credentials included, travels over its channel.
 */
export function openCcxt({ log, timeoutMs, restMs = 1_000, heapMb = 256 }: CcxtOptions): CcxtProcess {
  const venues = new Map<string, VenueSettings>()
  const waiting = new Map<number, Waiting>()
  let child: ChildProcess | undefined
  let sinceStart = () => Infinity
  let lastId = 0
  let stopped = false

  function start(): ChildProcess {
    sinceStart = stopwatch()
    const started = fork(new URL('./child.js', import.meta.url), [], {
      env: {},
      execArgv: [`--max-old-space-size=${heapMb}`],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.on('message', (text) => receive(JSON.parse(text as string) as Answer))
    started.on('error', (error) => end(started, error.message))
    started.on('exit', (code, signal) => end(started, `it ended (${signal ?? code})`))
    for (const [venue, settings] of venues) put(started, { kind: 'open', venue, settings, timeoutMs })
    return started
  }

  const put = (to: ChildProcess, question: Question): void => {
    to.send(question, (error) => {
      if (error) end(to, error.message)
    })
  }

  /** The child keeps this process alive while a call waits, and no longer. */
  function hold(one: ChildProcess): void {
    const way = waiting.size > 0 ? 'ref' : 'unref'
    one[way]()
    one.channel?.[way]()
  }

  function receive(answer: Answer): void {
    const one = waiting.get(answer.id)
    if (!one) return
    waiting.delete(answer.id)
    clearTimeout(one.timer)
    if (child) hold(child)
    if ('failure' in answer) one.reject(new VenueError(answer.failure))
    else one.resolve(answer.value)
  }

  /** Everything that waits for this child fails: whether the exchange did it is unknown. */
  function end(dead: ChildProcess, reason: string): void {
    if (dead !== child) return
    child = undefined
    dead.kill('SIGKILL')
    if (!stopped) log.warn({ reason }, 'The process that talks to exchanges ended; the next call starts it again.')
    for (const [id, { reject, timer }] of waiting) {
      waiting.delete(id)
      clearTimeout(timer)
      reject(lost('The process that talks to exchanges ended.'))
    }
  }

  async function call(venue: string, method: VenueMethod, args: readonly unknown[]): Promise<unknown> {
    if (stopped) throw lost('The connection to exchanges is closed.')
    if (!child && sinceStart() < restMs) throw lost('The process that talks to exchanges has just ended.')
    child ??= start()
    const asked = child
    lastId += 1
    const id = lastId
    return await new Promise((resolve, reject) => {
      const timer = setTimeout(() => end(asked, `it did not answer ${method} of ${venue}`), timeoutMs * 2 + graceMs)
      waiting.set(id, { resolve, reject, timer })
      hold(asked)
      put(asked, { kind: 'call', id, venue, method, args })
    })
  }

  return {
    venue: (name, settings) => {
      venues.set(name, settings)
      if (child) put(child, { kind: 'open', venue: name, settings, timeoutMs })
      return { call: (method, ...args) => call(name, method, args) }
    },
    pid: () => child?.pid,
    stop: async () => {
      stopped = true
      const last = child
      if (!last) return
      const ended = once(last, 'exit')
      last.ref()
      end(last, 'it was stopped')
      await ended
    },
  }
}

const lost = (message: string): VenueError => new VenueError({ classes: [], message })
