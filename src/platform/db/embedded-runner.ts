import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { chmod, chown, lchown, lstat, mkdir, open, readdir, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { dirname, join } from 'node:path'

import type { Binaries } from './embedded-binaries.ts'

/**
 * How PostgreSQL's programs are started here. They refuse to run as root, and as a user without a name (usual in
 * containers); both map themselves to nobody in a user namespace of their own, where the machine allows it. `owner` is
 * the other user that root runs them as; undefined when files simply belong to us.
 */
export type Runner = {
  binaries: Binaries
  owner: User | undefined
  /** Programs that each change something and then become the next one, so that the process id stays the same. */
  mapped: string[]
  tied: string[]
  locked: string[]
}

type User = { uid: number; gid: number }

const nobody = 65_534
const mapping = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`]
/** Linux sends the signal when the thread that started the program is gone: no orphan outlives a killed Node. */
const tying = ['setpriv', '--pdeathsig', 'INT']
/** The kernel's own lock, held as long as a process of this server lives; it also holds between containers. */
const locking = ['flock', '--no-fork', '--exclusive', '--wait', '10', '--conflict-exit-code', '75']

/** The exit code of a server that found its lock taken. */
export const lockTaken = 75

/** Finds out what this machine allows. `cluster` is the database's folder, which need not exist yet. */
export async function chooseRunner(binaries: Binaries, cluster: string): Promise<Runner> {
  const works = (command: string[]) => tryOut([...command, 'true'], binaries)
  const [canMap, canTie, canLock] = await Promise.all([
    works(mapping),
    works(tying),
    works([...locking, '--shared', binaries.postgres]),
  ])
  const root = process.getuid?.() === 0
  const owner = root ? ((await whoMayPass(cluster)) ?? (canMap ? undefined : { uid: nobody, gid: nobody })) : undefined
  return {
    binaries,
    owner,
    mapped: canMap && (root || !haveName()) ? mapping : [],
    tied: canTie ? tying : [],
    locked: canLock ? locking : [],
  }
}

/**
 * Whom root must become to work on this folder: its owner, or that of the folder around it, or of one further up that
 * is closed to others. Undefined when root itself, without its powers, can do it.
 */
async function whoMayPass(cluster: string): Promise<User | undefined> {
  let folder = cluster
  for (let up = 0; folder !== dirname(folder); up += 1) {
    const found = await statOf(folder)
    const closed = found !== undefined && (up < 2 || (found.mode & 0o001) === 0)
    if (closed && found.uid !== 0) return { uid: found.uid, gid: found.gid }
    folder = dirname(folder)
  }
  return undefined
}

/** Whether the system's list of users knows us: `initdb` asks for its own name. */
function haveName(): boolean {
  try {
    return userInfo().username !== ''
  } catch {
    return false
  }
}

/** Runs a program of PostgreSQL to its end, with `input` to read. Rejects with what it complained about. */
export function run({ binaries, owner, mapped, tied }: Runner, command: string[], input = ''): Promise<void> {
  const [program = '', ...args] = [...mapped, ...tied, ...command]
  return new Promise((done, fail) => {
    const child = execFile(
      program,
      args,
      { env: binaries.env, cwd: '/', timeout: 120_000, ...owner },
      (error, _, stderr) => {
        if (!error) return done()
        fail(
          new Error(
            `The embedded PostgreSQL does not run here (DATABASE_URL can name another):\n${stderr || error.message}`,
          ),
        )
      },
    )
    // A program that ends without having read everything says why on its standard error.
    child.stdin?.on('error', () => undefined)
    child.stdin?.end(input)
  })
}

/** Starts a server in a separate session: a Ctrl-C at the terminal reaches us alone, and we shut it down in order. */
export function launch(
  runner: Runner,
  lock: string,
  log: number,
  args: string[],
  env: Record<string, string>,
): ChildProcess {
  const { binaries, owner, mapped, tied, locked } = runner
  const guard = locked.length > 0 ? [...locked, lock] : []
  const [program = '', ...rest] = [...mapped, ...tied, ...guard, binaries.postgres, ...args]
  const environment = { ...binaries.env, ...env }
  return spawn(program, rest, { env: environment, cwd: '/', detached: true, stdio: ['ignore', log, log], ...owner })
}

/** Makes the folder if it is missing, and makes sure that nobody but the database's user can enter it. */
export async function privateFolder(path: string, { owner }: Pick<Runner, 'owner'>): Promise<void> {
  const made = await mkdir(path, { mode: 0o700 }).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
      return false
    },
  )
  if (made && owner) await chown(path, owner.uid, owner.gid)
  const found = await lstat(path)
  if (!found.isDirectory() || found.uid !== (owner?.uid ?? process.getuid?.())) {
    throw new Error(`${path} is in the way: it is not a folder of the user that the database runs as.`)
  }
  if ((found.mode & 0o077) !== 0) await chmod(path, 0o700)
}

/** Gives a folder, if it exists, and all that is in it to the database's user, if it is not theirs already. */
export async function giveTo({ owner }: Pick<Runner, 'owner'>, path: string): Promise<void> {
  const found = await statOf(path)
  if (!owner || !found || found.uid === owner.uid) return
  for (const entry of await readdir(path, { recursive: true })) await lchown(join(path, entry), owner.uid, owner.gid)
  // Last, so that a crash in between leaves something to do.
  await chown(path, owner.uid, owner.gid)
}

/** Opens a file for appending, made if it is missing, that the database's user may use as well. */
export async function sharedFile(path: string, { owner }: Pick<Runner, 'owner'>) {
  const file = await open(path, 'a', 0o600)
  if (owner) await file.chown(owner.uid, owner.gid)
  return file
}

const statOf = (path: string) => stat(path).catch(() => undefined)

const tryOut = ([program = '', ...args]: string[], { env }: Binaries): Promise<boolean> =>
  new Promise((tell) => execFile(program, args, { env, cwd: '/', timeout: 5_000 }, (error) => tell(!error)))
