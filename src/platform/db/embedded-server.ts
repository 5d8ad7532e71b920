import { execFile } from 'node:child_process'
import { readFile, readlink, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

import { stopwatch } from '../lib/clock.ts'

/** A PostgreSQL that runs on a cluster: its process, and the process that started it if that still lives. */
export type Server = { pid: number; startedBy: number | undefined; socketFolder: string; ready: boolean }

/** The setting where a server shows the pid of the Node process that started it. */
export const startedBySetting = 'cambio.started_by'

/** How a server is ended, and with what patience: cutting off its clients and writing all down, then at once. */
export const shutdowns = [
  ['SIGINT', 30_000],
  ['SIGQUIT', 10_000],
] as const

/**
 * The first lines of postmaster.pid: process, cluster, start, port, socket's folder, address, shared memory, state
 * (PostgreSQL source, src/include/utils/pidfile.h).
 */
export async function readPidFile(
  cluster: string,
): Promise<{ pid: number; socketFolder: string; ready: boolean } | undefined> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const [pid = '', , , , socketFolder = '', , , state = ''] = text.split('\n')
  if (!/^\d+$/.test(pid)) return undefined
  return { pid: Number.parseInt(pid, 10), socketFolder, ready: state.trim() === 'ready' }
}

/**
 * The server that really runs on this cluster. A pid file alone proves nothing, because its number may meanwhile be
 * another program's: the process must work on this very folder.
 */
export async function findServer(cluster: string): Promise<Server | undefined> {
  const written = await readPidFile(cluster)
  if (!written) return undefined
  const running = await readProcess(written.pid)
  if (!running?.worksOn(cluster)) return undefined

  // A process whose parent is gone gets another parent at once, so this cannot be fooled by a reused number.
  const [, starter = ''] = new RegExp(`${startedBySetting}=(\\d+)`).exec(running.command) ?? []
  const orphan = starter !== '' && Number.parseInt(starter, 10) !== running.parent
  return { ...written, startedBy: orphan ? undefined : running.parent }
}

/**
 * Ends the server that a killed process left behind, if there is one. A server that belongs to a living process is
 * never touched, not even when it has just taken the orphan's place.
 */
export async function endOrphan(cluster: string): Promise<void> {
  const orphan = await findServer(cluster)
  if (!orphan || orphan.startedBy) return
  for (const [signal, patienceMs] of shutdowns) {
    send(signal, orphan.pid)
    const elapsed = stopwatch()
    while (elapsed() < patienceMs) {
      if ((await findServer(cluster))?.pid !== orphan.pid) return
      await wait(5)
    }
  }
  throw new Error(`A PostgreSQL that was left over on ${cluster} (pid ${orphan.pid}) does not end.`)
}

/** Refuses to start a database that a live process runs already. */
export class AlreadyRunning extends Error {
  constructor(cluster: string, startedBy: number, pid: number) {
    super(`The database in ${cluster} is already running: process ${startedBy} started it, PostgreSQL's pid is ${pid}.`)
    this.name = 'AlreadyRunning'
  }
}

/**
 * Throws AlreadyRunning unless nothing, or only an orphan, runs on this cluster. `starting` is the server that the caller is
 * starting itself: it may have taken the place of a dead one in the pid file at any moment.
 */
export async function refuseIfRunning(cluster: string, starting?: number): Promise<void> {
  const server = await findServer(cluster)
  if (server?.startedBy && server.pid !== starting) throw new AlreadyRunning(cluster, server.startedBy, server.pid)
}

/**
 * Removes a pid file without a number in it, which a power failure can leave and no server ever gets past. A server
 * that is just starting has filled it in long before we look again.
 */
export async function removeBrokenPidFile(cluster: string): Promise<void> {
  const path = join(cluster, 'postmaster.pid')
  const broken = () =>
    readFile(path, 'utf8').then(
      (text) => !/^\d+\n/.test(text),
      () => false,
    )
  if (!(await broken())) return
  await wait(500)
  if (await broken()) await rm(path)
}

function send(signal: NodeJS.Signals, pid: number): void {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error
  }
}

type Process = { parent: number; command: string; worksOn(folder: string): boolean }

async function readProcess(pid: number): Promise<Process | undefined> {
  try {
    return process.platform === 'linux' ? await readLinuxProcess(pid) : await readOtherProcess(pid)
  } catch {
    return undefined
  }
}

/** A server's working folder is its cluster (proc(5)); the parent is the second field after the name in brackets. */
async function readLinuxProcess(pid: number): Promise<Process> {
  const [folder, command, stat] = await Promise.all([
    readlink(`/proc/${pid}/cwd`),
    readFile(`/proc/${pid}/cmdline`, 'utf8'),
    readFile(`/proc/${pid}/stat`, 'utf8'),
  ])
  const [, parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return { parent: Number.parseInt(parent, 10), command, worksOn: (cluster) => folder === cluster }
}

async function readOtherProcess(pid: number): Promise<Process> {
  const { stdout } = await promisify(execFile)('/bin/ps', ['-ww', '-o', 'ppid=,command=', '-p', String(pid)])
  const [, parent = '', command = ''] = /^\s*(\d+)\s+(.*)/.exec(stdout) ?? []
  return { parent: Number.parseInt(parent, 10), command, worksOn: (cluster) => command.includes(` -D ${cluster} `) }
}
