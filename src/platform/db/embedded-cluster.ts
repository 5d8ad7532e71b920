import { open, readdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

import { privateFolder, run, type Runner } from './embedded-runner.ts'

/** The database's owner. On a socket that only our own user can reach, nobody is asked for a password. */
export const databaseOwner = 'cambio_owner'
/** The service's database. */
export const database = 'cambio'

/** Only the unix socket is open, and the folder around it is private. */
const access = '# Only processes that can enter the private folder of the socket get here.\nlocal all all trust\n'

/** Whether the folder holds a whole cluster: it only ever appears whole, see `makeCluster`. */
export const isCluster = (folder: string): Promise<boolean> =>
  stat(join(folder, 'PG_VERSION')).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return false
      throw error
    },
  )

/**
 * Makes a cluster with our empty database. It is built in a folder next to its own, flushed to disk (unless `durable`
 * is false) and then renamed, so that a crash at any moment leaves either no cluster or a whole one. When two processes
 * try at once, one of the two clusters stays.
 */
export async function makeCluster(runner: Runner, cluster: string, durable: boolean): Promise<void> {
  const draft = `${cluster}.new-${process.pid}`
  await removeDrafts(cluster)
  await privateFolder(draft, runner)

  const { initdb, postgres } = runner.binaries
  await run(runner, [initdb, '-D', draft, ...form])
  await writeFile(join(draft, 'pg_hba.conf'), access)
  // The database that initdb makes for maintenance becomes ours: 20 ms, where creating another one takes 80.
  await run(
    runner,
    [postgres, '--single', '-F', ...alone, '-D', draft, 'template1'],
    `alter database postgres rename to ${database}\n`,
  )

  if (durable) await run(runner, [initdb, '-D', draft, '--sync-only'])
  await rename(draft, cluster).catch(async (error) => {
    await rm(draft, { recursive: true })
    if (!(await isCluster(cluster))) throw error
  })
  if (durable) await syncFolder(dirname(cluster))
}

const form = [
  '--username',
  databaseOwner,
  '--auth',
  'trust',
  '--no-sync',
  '--no-instructions',
  '--encoding',
  'UTF8',
].concat(['--locale', 'C', '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'])
const alone = ['-c', 'exit_on_error=on', '-c', 'log_checkpoints=off']

/** What an interrupted first start left behind. A draft whose maker still lives is left to it. */
async function removeDrafts(cluster: string): Promise<void> {
  for (const name of await readdir(dirname(cluster))) {
    const [before, maker = ''] = name.split('.new-')
    if (before !== basename(cluster) || !/^\d+$/.test(maker)) continue
    const pid = Number.parseInt(maker, 10)
    if (pid === process.pid || !lives(pid)) await rm(join(dirname(cluster), name), { recursive: true, force: true })
  }
}

function lives(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path)
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}
