import { setTimeout as wait } from 'node:timers/promises'

import type { Connection, Result } from './connection.ts'
import { watchHost } from './host-watch.ts'
import { type HostsOptions, openHosts } from './hosts.ts'
import { detach } from '../lib/detach.ts'
import { isBehind, openWitness, type Witness } from './witness.ts'
import { type Atomic, CommitUnknown, type Database, statement } from './sql.ts'

/** How the service reaches its database. Several URLs: the first that accepts writes is used. */
export type PoolOptions = HostsOptions & {
  size: number
  /** What this process knows of the hosts; its own memory unless given. */
  witness?: Witness
  /** Waits before a block is run again that failed so many times; by chance unless given. */
  pause?: (tries: number) => Promise<void>
}

/** Counts what was asked of the database, for benchmarks and metrics. */
export type PoolCounts = { statements: number; commits: number }

const atomicTries = 4
/**
 * Milliseconds, by chance: who was ended in a deadlock and begins at once takes its first row again before the other,
 * who waits for it, has woken up, and meets it in the same deadlock.
 */
const pauseByChance = (tries: number): Promise<void> => wait((0.5 + Math.random()) * 40 * 4 ** (tries - 1))
const retryable = new Set(['40001', '40P01', '0A000'])

/** Opens a pool. Connections are made when needed, kept, and replaced when they break. */
export function openPool(options: PoolOptions): Database & { counts: PoolCounts } {
  const { pause = pauseByChance } = options
  const connections = new Set<Connection>()
  const waiting: Waiting[] = []
  /** Never taken by an atomic block: a read outside a block must not wait for blocks to end. */
  let shared: Promise<Connection> | undefined
  const counts: PoolCounts = { statements: 0, commits: 0 }
  const hosts = openHosts(options, options.witness ?? openWitness())
  const watch = watchHost(connections, hosts, options.statementTimeoutMs ?? 30_000)
  let opening = 0
  let closed = false
  /** Why no connection can be opened: one attempt after another is made meanwhile, and nobody else waits for it. */
  let unreachable: Error | undefined

  /** Taken before anybody else can see it: two blocks must never get one connection. */
  async function open(taken: boolean): Promise<Connection> {
    if (unreachable && opening > 0) throw unreachable
    opening += 1
    try {
      const connection = await hosts.connect((lost) => connections.delete(lost))
      // A server that dies may greet first: what was lost before it was added would stay here for ever.
      if (connection.lost) throw new Error('Connection terminated unexpectedly')
      if (closed) {
        await connection.end()
        throw isClosed()
      }
      unreachable = undefined
      connection.taken = taken
      connections.add(connection)
      for (const other of connections) if (isBehind(other.host, connection.host)) other.destroy()
      return connection
    } catch (error) {
      if (connections.size === 0 && error instanceof Error) {
        unreachable = error
        for (const { reject } of waiting.splice(0)) reject(error)
      }
      throw error
    } finally {
      opening -= 1
    }
  }

  async function take(): Promise<Connection> {
    const free = leastBusy(connections, await shared)
    if (closed) throw isClosed()
    if (free && (free.busy === 0 || connections.size + opening >= options.size)) {
      free.taken = true
      return free
    }
    if (connections.size + opening >= options.size) {
      return new Promise((resolve, reject) => waiting.push({ resolve, reject }))
    }
    try {
      return await open(true)
    } catch (error) {
      detach(openForWaiting())
      throw error
    }
  }

  function giveBack(connection: Connection): void {
    if (!connections.has(connection)) {
      detach(openForWaiting())
      return
    }
    const next = waiting.shift()
    if (next) next.resolve(connection)
    else connection.taken = false
  }

  /** Who waits gets a connection, or the failure of opening one if nobody has any that will be given back. */
  async function openForWaiting(): Promise<void> {
    if (waiting.length === 0 || connections.size + opening >= options.size) return
    try {
      giveBack(await open(true))
    } catch (error) {
      if (opening > 0 || [...connections].some(({ taken }) => taken)) return
      waiting.shift()?.reject(error)
      await openForWaiting()
    }
  }

  /** Single statements share the least busy free connection; an answer never waits behind an atomic block. */
  async function runAlone(strings: TemplateStringsArray, values: unknown[]): Promise<Result> {
    counts.statements += 1
    const prepared = statement(strings, values)
    const best = leastBusy(connections)
    return (best ?? (await openShared())).run(prepared)
  }

  async function openShared(): Promise<Connection> {
    if (closed) throw isClosed()
    shared ??= open(false)
    try {
      const connection = await shared
      if (connections.has(connection)) return connection
    } catch (error) {
      shared = undefined
      throw error
    }
    shared = undefined
    return openShared()
  }

  async function atomicOnce<T>(work: (db: Atomic) => Promise<T>): Promise<T> {
    const connection = await take()
    const block = beginBlock(connection, counts)
    try {
      const result = await work(block.db)
      await block.commit()
      return result
    } catch (error) {
      await block.rollback()
      throw block.firstFailure ?? error
    } finally {
      giveBack(connection)
    }
  }

  return {
    counts,
    sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) =>
      (await runAlone(strings, values)).rows as Row[],
    atomic: async (work) => {
      for (let tries = 1; ; tries += 1) {
        try {
          return await atomicOnce(work)
        } catch (error) {
          if (tries >= atomicTries || !retryable.has(codeOf(error))) throw error
          await pause(tries)
        }
      }
    },
    close: async () => {
      closed = true
      for (const { reject } of waiting.splice(0)) reject(isClosed())
      await Promise.all([...connections].map((connection) => connection.end()))
      watch.stop()
    },
  }
}

/** An atomic block that waits for a connection. */
type Waiting = { resolve(connection: Connection): void; reject(error: unknown): void }

const isClosed = (): Error => new Error('The database is closed.')

/** The SQLSTATE of a database error, or an empty text. */
export const codeOf = (error: unknown): string => (error instanceof Error && 'code' in error ? String(error.code) : '')

type Block = {
  db: Atomic
  firstFailure: unknown
  commit(): Promise<void>
  rollback(): Promise<void>
}

/** Whether the server itself refused a statement, and lives on: what it says last before it ends is no answer. */
export const isAnswer = (error: unknown): boolean =>
  error instanceof Error && 'severity' in error && error.severity === 'ERROR'

const plain = (text: string) => ({ text, name: undefined, values: [] })

/**
 * BEGIN is sent without waiting, and COMMIT rides in the same round trip as the last writes. In a pipeline a failed
 * statement turns COMMIT into ROLLBACK without a separate error, so the command tag that came back decides.
 */
function beginBlock(connection: Connection, counts: PoolCounts): Block {
  const sent: Promise<unknown>[] = []
  const then: (() => void)[] = []
  let ended = false

  const run = (prepared: Parameters<Connection['run']>[0]) => {
    counts.statements += 1
    const result = connection.run(prepared)
    sent.push(
      result.catch((error: unknown) => {
        block.firstFailure ??= error
      }),
    )
    return result
  }
  const db: Atomic = {
    sql: async <Row>(strings: TemplateStringsArray, ...values: unknown[]) => {
      if (ended) throw new Error('This atomic block is over.')
      return (await run(statement(strings, values))).rows as Row[]
    },
    send: (strings, ...values) => {
      if (ended) throw new Error('This atomic block is over.')
      run(statement(strings, values)).catch(() => undefined)
    },
    afterCommit: (callback) => then.push(callback),
  }
  const block: Block = {
    db,
    firstFailure: undefined,
    commit: async () => {
      ended = true
      const last = run(plain('commit'))
      await Promise.all(sent)
      const { command } = await last.catch((error: unknown) => {
        if (!isAnswer(block.firstFailure)) block.firstFailure = new CommitUnknown({ cause: error })
        throw error
      })
      if (command !== 'COMMIT') throw new Error('The atomic block did not commit.')
      counts.commits += 1
      for (const callback of then) callback()
    },
    rollback: async () => {
      ended = true
      // The failure that matters is the one that led here; a broken connection has rolled back by itself.
      await run(plain('rollback')).catch(() => undefined)
      await Promise.all(sent)
    },
  }
  run(plain('begin')).catch(() => undefined)
  return block
}

/** The free connection with the fewest statements under way. Those finish before a block that begins behind them. */
function leastBusy(connections: Iterable<Connection>, except?: Connection): Connection | undefined {
  let best: Connection | undefined
  for (const connection of connections) {
    if (connection.taken || connection === except) continue
    if (!best || connection.busy < best.busy) best = connection
  }
  return best
}
