import { type ChildProcess, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer } from 'node:net'
import { createInterface } from 'node:readline'

import { openSilentProxy } from './silent-proxy.ts'

const program = '/usr/sbin/pgbouncer'

/** Whether this machine has PgBouncer; the gate installs it, and counts a skipped test as a failure. */
export const hasPooler = existsSync(program)

/** PgBouncer in transaction mode, as its defaults are unless `settings` says otherwise. */
export type Pooler = {
  /** The database, through it. */
  url: string
  stop(): Promise<void>
}

/** Starts PgBouncer between us and the database at `url`, for the role of that URL. */
export async function startPooler(url: string, settings: Record<string, string> = {}): Promise<Pooler> {
  // It refuses to run as root, who alone may see the socket of an embedded server: a proxy passes on to it.
  const asNobody = process.getuid?.() === 0 ? { uid: 65_534 } : {}
  const proxy = await openSilentProxy(url)
  const { username, password, pathname, hostname, port } = new URL(proxy.urlOf(url))
  const folder = mkdtempSync(join(tmpdir(), 'cambio-pooler-'))
  chmodSync(folder, 0o755)
  const users = join(folder, 'users')
  const file = join(folder, 'pgbouncer.ini')
  const all = { listen_addr: '127.0.0.1', auth_type: 'plain', auth_file: users, pool_mode: 'transaction' }
  writeFileSync(users, `"${username}" "${decodeURIComponent(password)}"\n`)

  for (let tries = 1; ; tries += 1) {
    const listening = await freePort()
    const lines = Object.entries({ ...all, listen_port: listening, unix_socket_dir: '', ...settings })
    const text = [
      '[databases]',
      `* = host=${hostname} port=${port}`,
      '[pgbouncer]',
      ...lines.map((line) => line.join(' = ')),
    ]
    writeFileSync(file, `${text.join('\n')}\n`)
    const child = spawn(program, [file], { ...asNobody, stdio: ['ignore', 'ignore', 'pipe'] })
    const ended = new Promise<void>((resolve) => child.once('close', () => resolve()))
    if (await listens(child, ended)) {
      return {
        url: `postgres://${username}:${password}@127.0.0.1:${listening}${pathname}`,
        stop: async () => {
          child.kill('SIGINT')
          await ended
          await proxy.stop()
          rmSync(folder, { recursive: true })
        },
      }
    }
    if (tries === 5) throw new Error('PgBouncer does not start.')
  }
}

/** False: it has ended, because the port was taken. */
const listens = (child: ChildProcess & { stderr: NodeJS.ReadableStream }, ended: Promise<void>): Promise<boolean> =>
  new Promise((resolve) => {
    createInterface({ input: child.stderr }).on('line', (line) => {
      if (line.includes('process up')) resolve(true)
    })
    ended.then(() => resolve(false)).catch(() => resolve(false))
  })

/** A port that the system has just given away: outside of those that other programs of ours choose by number. */
const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() =>
        address && typeof address === 'object' ? resolve(address.port) : reject(new Error('No port.')),
      )
    })
  })
