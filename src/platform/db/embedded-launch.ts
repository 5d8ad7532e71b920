import type { ChildProcess } from 'node:child_process'
import { readFile, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { stopwatch } from '../lib/clock.ts'
import { launch, lockTaken, sharedFile, type Runner } from './embedded-runner.ts'
import { AlreadyRunning, readPidFile, refuseIfRunning, shutdowns, startedBySetting } from './embedded-server.ts'

/** After a crash the server first replays what its write-ahead log holds, up to `max_wal_size`. */
const startLimitMs = 120_000
const logLimitBytes = 10_000_000

type Launched = { pid: number; ended: Promise<void>; stop(): Promise<void> }
type Child = {
  process: ChildProcess
  ended: Promise<void>
  /** How it ended; undefined while it runs. */ end(): string | undefined
}

/** Starts the server of `dataDir`'s cluster and resolves when it answers; else rejects with what it said. */
export async function launchServer(
  runner: Runner,
  dataDir: string,
  settings: Record<string, string>,
): Promise<Launched> {
  const cluster = join(dataDir, 'postgres')
  const lock = join(dataDir, 'postgres.lock')
  await (await sharedFile(lock, runner)).close()
  const all = { ...settings, [startedBySetting]: String(process.pid) }
  const args = ['-D', cluster, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])]

  // No server lives here: we have looked, and PostgreSQL's own lock file decides between two who looked at once. But it
  // takes any process that reuses a dead server's pid for that server, unless that pid is given as its grandparent's.
  const stale = await readPidFile(cluster)
  const environment: Record<string, string> = stale ? { PG_GRANDPARENT_PID: String(stale.pid) } : {}

  const log = await openLog(join(dataDir, 'postgres.log'), runner)
  const child = watch(launch(runner, lock, log.file.fd, args, environment))
  try {
    await untilReady(child, cluster)
  } catch (error) {
    await end(child)
    if (error instanceof AlreadyRunning) throw error
    const why = error instanceof Error ? error.message : String(error)
    throw new Error(`The embedded PostgreSQL did not start: ${why}. ${await log.read()}`, { cause: error })
  } finally {
    await log.file.close()
  }
  let stopping: Promise<void> | undefined
  return { pid: child.process.pid ?? 0, ended: child.ended, stop: () => (stopping ??= end(child)) }
}

/** The server's log, the former one put aside when it has grown, and a way to read what was added. */
async function openLog(path: string, runner: Runner) {
  let file = await sharedFile(path, runner)
  let { size } = await file.stat()
  if (size > logLimitBytes) {
    await file.close()
    await rename(path, `${path}.1`)
    file = await sharedFile(path, runner)
    size = 0
  }
  const read = async () =>
    `${path} says:\n${(await readFile(path)).subarray(size).toString().trim().slice(-2_000) || 'nothing'}`
  return { file, read }
}

function watch(server: ChildProcess): Child {
  let end: string | undefined
  const ended = new Promise<void>((done) => {
    const finish = (how: string): void => {
      end = how
      done()
    }
    server.once('exit', (code, signal) =>
      finish(code === lockTaken ? 'another server holds its lock' : `${code ?? signal}`),
    )
    server.once('error', (error) => finish(error.message))
  })
  // The server must not keep us alive: it ends with us.
  server.unref()
  return { process: server, ended, end: () => end }
}

async function untilReady(child: Child, cluster: string): Promise<void> {
  const elapsed = stopwatch()
  while (elapsed() < startLimitMs) {
    const written = await readPidFile(cluster)
    if (written?.ready && written.pid === child.process.pid) return
    if (written && written.pid !== child.process.pid) await refuseIfRunning(cluster, child.process.pid)
    if (child.end() !== undefined) throw new Error(`it ended (${child.end()})`)
    await wait(5)
  }
  throw new Error(`it was not ready within ${startLimitMs / 1_000} s`)
}

/** The next start needs no recovery when this has gone in order; it loses nothing when it has not. */
async function end(child: Child): Promise<void> {
  child.process.ref()
  for (const [signal, patienceMs] of shutdowns) {
    if (child.end() !== undefined) return
    child.process.kill(signal)
    await Promise.race([child.ended, wait(patienceMs, undefined, { ref: false })])
  }
  if (child.end() === undefined) throw new Error(`The embedded PostgreSQL (pid ${child.process.pid}) does not end.`)
}
