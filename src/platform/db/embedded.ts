import { createHash } from 'node:crypto'
import { chmod, mkdir, realpath, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

import { findBinaries } from './embedded-binaries.ts'
import { database, databaseOwner, isCluster, makeCluster } from './embedded-cluster.ts'
import { launchServer } from './embedded-launch.ts'
import { chooseRunner, giveTo, privateFolder, type Runner } from './embedded-runner.ts'
import { endOrphan, findServer, refuseIfRunning, removeBrokenPidFile } from './embedded-server.ts'

/** A PostgreSQL of our own, running. */
export type Embedded = {
  /** The owner's URL, over the unix socket. Only the user that runs the service (and root) can use it. */
  url: string
  pid: number
  /** Whether this start made the database. One that was made before may be empty too, if that start was cut short. */
  firstStart: boolean
  /** Resolves when the server has ended for any reason. */
  ended: Promise<void>
  /** Ends the server in order and waits until it is gone. May be called twice. */
  stop(): Promise<void>
}

/**
 * For a small machine that is idle most of the time; everything that durability depends on is on. Errors of
 * statements are not logged here, because they can hold a customer's data: the client that sent the statement gets them.
 */
const ordinary: Record<string, string> = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '60',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  wal_level: 'minimal',
  max_wal_senders: '0',
  wal_compression: 'pglz',
  min_wal_size: '128MB',
  max_wal_size: '2GB',
  checkpoint_timeout: '15min',
  shared_buffers: '128MB',
  work_mem: '8MB',
  effective_cache_size: '512MB',
  random_page_cost: '1.1',
  jit: 'off',
  max_parallel_workers_per_gather: '0',
  max_logical_replication_workers: '0',
  io_method: 'sync',
  autovacuum_naptime: '15s',
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
  log_autovacuum_min_duration: '-1',
}

/** Extra settings for a cluster that holds nothing of value, such as a test run's: a power failure destroys it. */
export const throwaway: Record<string, string> = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' }

/**
 * Starts the PostgreSQL of `dataDir`, making it first if there is none, and resolves when it answers. What a killed
 * process left behind is ended and recovered from. Refuses with a plain sentence when a living process runs it already,
 * so that two servers can never work on one folder. `settings` are added to our own (`-c name=value`).
 */
export async function startEmbedded(options: {
  dataDir: string
  settings?: Record<string, string>
}): Promise<Embedded> {
  await mkdir(resolve(options.dataDir), { recursive: true, mode: 0o700 })
  const dataDir = await realpath(options.dataDir)
  const cluster = join(dataDir, 'postgres')
  const settings = { ...ordinary, ...options.settings }

  await refuseForeign(dataDir)
  await refuseForeign(cluster)
  await endOrphan(cluster)
  await refuseIfRunning(cluster)
  await removeBrokenPidFile(cluster)
  const runner = await chooseRunner(await findBinaries(join(dataDir, 'postgres-libraries')), cluster)
  await letThrough(dataDir, runner)

  const firstStart = !(await isCluster(cluster))
  if (firstStart) await makeCluster(runner, cluster, settings.fsync !== 'off')
  else await giveTo(runner, cluster)

  const socketFolder = await makeSocketFolder(dataDir, runner)
  const server = await launchServer(runner, dataDir, { ...settings, unix_socket_directories: `"${socketFolder}"` })
  return { url: urlOver(socketFolder), firstStart, ...server }
}

/** The owner's URL of the server that runs on `dataDir` now, for commands that run alongside the service. */
export async function findEmbedded(dataDir: string): Promise<{ url: string; pid: number } | undefined> {
  const folder = await realpath(dataDir).catch(() => undefined)
  const server = folder && (await findServer(join(folder, 'postgres')))
  return server && server.startedBy && server.ready ? { url: urlOver(server.socketFolder), pid: server.pid } : undefined
}

/** The socket's folder is a parameter, as libpq and node-postgres both read it; the host before it is never asked. */
const urlOver = (socketFolder: string): string =>
  `postgres://${databaseOwner}@localhost/${database}?host=${socketFolder.split('/').map(encodeURIComponent).join('/')}`

/** Root can take any folder over; nobody else may touch what is not theirs. */
async function refuseForeign(folder: string): Promise<void> {
  const us = process.getuid?.()
  const found = await stat(folder).catch(() => undefined)
  if (us === 0 || !found || found.uid === us) return
  throw new Error(
    `${folder} belongs to another user (uid ${found.uid}; we are ${us}). Run as that user, or set DATA_DIR.`,
  )
}

/** The user that the database runs as must get to its folder; all that is private in `dataDir` is closed by itself. */
async function letThrough(dataDir: string, { owner }: Runner): Promise<void> {
  const { uid, mode } = await stat(dataDir)
  if (owner && owner.uid !== uid) await chmod(dataDir, mode | 0o011)
}

/** A socket's path holds about 100 bytes, so that of a deep folder lives in the system's folder for temporary files. */
async function makeSocketFolder(dataDir: string, runner: Runner): Promise<string> {
  const near = join(dataDir, 'socket')
  if (Buffer.byteLength(`${near}/.s.PGSQL.5432`) < 100) {
    await giveTo(runner, near)
    await privateFolder(near, runner)
    return near
  }
  const key = createHash('sha256')
    .update(`${runner.owner?.uid ?? process.getuid?.()}:${dataDir}`)
    .digest('hex')
  const far = join(tmpdir(), `cambio-${key.slice(0, 16)}`)
  await privateFolder(far, runner)
  return far
}
