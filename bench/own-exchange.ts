import { execFile, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

const project = join(import.meta.dirname, '../..')

/** The part of `sandbox.json` that the benchmarks need. */
type Keys = {
  url: string
  partner_id: string
  public_key: string
  secret_key: string
  second_partner: { secret_key: string }
}

/** A separate service process on an embedded, durable database in a temporary folder: as an operator runs it. */
export type OwnExchange = {
  origin: string
  pid: number
  dataDir: string
  keys: Keys
  /** From the start of the process to its first answer. */
  startMs: number
  /** Runs `bin/cambio` on it, and gives what it printed as JSON. */
  command<Printed>(...args: string[]): Promise<Printed>
  /** Ends it and waits until it has ended; the folder stays. */
  stop(): Promise<void>
}

/** How it is started: in a folder that exists already, with flags for Node. */
export type StartOptions = { dataDir?: string; nodeFlags?: string[] }

/** Creates a folder for a service. The caller removes it. */
export const makeDataDir = (): Promise<string> => mkdtemp(join(tmpdir(), 'cambio-bench-'))

/** Removes a folder that `makeDataDir` made. */
export const removeDataDir = (dataDir: string): Promise<void> => rm(dataDir, { recursive: true, force: true })

/** Starts the service and waits until it answers. */
export async function startOwnExchange({ dataDir, nodeFlags = [] }: StartOptions = {}): Promise<OwnExchange> {
  const folder = dataDir ?? (await makeDataDir())
  const port = await freePort()
  const origin = `http://127.0.0.1:${port}`
  const env = {
    ...process.env,
    DATA_DIR: folder,
    PORT: String(port),
    ADMIN_PORT: String(await freePort()),
    PROCESSOR_PORT: String(await freePort()),
    PUBLIC_URL: '',
    DATABASE_URL: '',
    RATE_LIMITS: 'off',
    LOG_LEVEL: 'error',
  }
  const start = performance.now()
  const child = spawn(process.execPath, [...nodeFlags, join(project, 'bin/cambio'), 'serve'], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  while (!(await answers(`${origin}/v1/status`))) {
    if (child.exitCode !== null) throw new Error('The service did not start.')
    await wait(3)
  }
  const startMs = performance.now() - start

  return {
    origin,
    pid: child.pid ?? 0,
    dataDir: folder,
    startMs,
    keys: await readKeys(folder, origin),
    command: async <Printed>(...args: string[]) => {
      const run = await promisify(execFile)(process.execPath, [join(project, 'bin/cambio'), ...args, '--json'], { env })
      return JSON.parse(run.stdout) as Printed
    },
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const answers = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  )

/** `sandbox.json` is written right after the service has begun to answer. */
async function readKeys(dataDir: string, origin: string): Promise<Keys> {
  for (;;) {
    const text = await readFile(join(dataDir, 'sandbox.json'), 'utf8').catch(() => '{}')
    const keys = JSON.parse(text) as Partial<Keys>
    if (keys.url === origin) return keys as Keys
    await wait(5)
  }
}

/** A port that nothing listens on, and that the system gives to no outgoing connection before the service listens there. */
function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_000)
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(freePort()))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(port)))
  })
}

/** A number is worth something only if the books balance after it. */
export async function assertBalanced(exchange: OwnExchange): Promise<void> {
  const { ok, problems } = await exchange.command<{ ok: boolean; problems: string[] }>('verify')
  if (!ok) throw new Error(`The books do not balance:\n${problems.join('\n')}`)
}
