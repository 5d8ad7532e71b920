import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

import type { Sandbox } from '../../src/sandbox/sandbox-file.ts'
import { answerCheck } from './answers.ts'
import type { Answer, Asking } from './exchange.ts'
import { projectFolder } from './source.ts'

/** The exchange as an operator runs it: its own process, with the embedded database in its own folder. */
export type ServedExchange = {
  /** The settings with which it and its commands run. */
  env: Record<string, string>
  sandbox: Sandbox
  pid: number
  /** Everything that it has printed and logged so far, over all starts. */
  output(): string
  /** Asks it; fails like `fetch` when nobody answers. */
  api<Body = Record<string, unknown>>(path: string, asking?: Asking): Promise<Answer<Body>>
  /** Starts it again after its end, with the same command. */
  start(): Promise<void>
  /** Sends a signal and waits for the process to end. Gives its exit code; null when a signal ended it. */
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** The process id of the embedded database. */
  databasePid(): number
  /** Ends it if it runs, and removes the folder. */
  remove(): Promise<void>
}

/** Starts `bin/cambio serve`, in a new folder unless told where, and resolves once it says that it is open. */
export async function serveExchange(settings: Record<string, string> = {}): Promise<ServedExchange> {
  const { PATH = '', HOME = '' } = process.env
  const dataDir = settings.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'cambio-served-'))
  const env = { PATH, HOME, DATA_DIR: dataDir, PORT: '0', RATE_LIMITS: 'off', ...settings }
  let output = ''
  let child: ChildProcess | undefined
  let ended: Promise<number | null> = Promise.resolve(null)

  const exchange: ServedExchange = {
    env,
    sandbox: {} as Sandbox,
    pid: 0,
    output: () => output,
    api: (path, asking = {}) => ask(exchange.sandbox, path, asking),
    start: async () => {
      const started = spawn(process.execPath, [join(projectFolder, 'bin/cambio'), 'serve'], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      child = started
      ended = new Promise((resolve) => started.once('close', resolve))
      started.stderr.on('data', (text) => (output += String(text)))
      const lines = createInterface({ input: started.stdout })
      await new Promise<void>((resolve, reject) => {
        lines.on('line', (line) => {
          output += `${line}\n`
          if (line.includes('Cambio is open')) resolve()
        })
        ended.then(() => reject(new Error(`It ended before it was open:\n${output}`)), reject)
      })
      exchange.pid = started.pid ?? 0
      exchange.sandbox = JSON.parse(readFileSync(join(dataDir, 'sandbox.json'), 'utf8')) as Sandbox
    },
    kill: (signal) => {
      child?.kill(signal)
      return ended
    },
    databasePid: () => databasePidIn(dataDir),
    remove: async () => {
      await exchange.kill('SIGTERM')
      if (settings.DATA_DIR === undefined) rmSync(dataDir, { recursive: true, force: true })
    },
  }
  await exchange.start()
  return exchange
}

/** The first line of the file that a running PostgreSQL keeps in its cluster. */
function databasePidIn(dataDir: string): number {
  const file = readdirSync(dataDir, { recursive: true }).find((path) => String(path).endsWith('postmaster.pid'))
  if (file === undefined) throw new Error('No database runs in this folder.')
  return Number.parseInt(readFileSync(join(dataDir, String(file)), 'utf8'), 10)
}

/** Whether a process is there. */
export function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function ask<Body>(
  { url, secret_key }: Sandbox,
  path: string,
  { method, body, key = secret_key, headers }: Asking,
): Promise<Answer<Body>> {
  const verb = method ?? (body === undefined ? 'GET' : 'POST')
  const answer = await fetch(url + path, {
    method: verb,
    headers: { ...(key ? { 'x-api-key': key } : {}), 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const [text, contentType] = [await answer.text(), answer.headers.get('content-type') ?? '']
  answerCheck()({ method: verb, url: path, status: answer.status, contentType, text })
  return { status: answer.status, headers: answer.headers, body: JSON.parse(text) as Body }
}
