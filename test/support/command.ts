import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import type { Order } from './command-process.ts'
import type { Exchange } from './exchange.ts'
import { projectFolder } from './source.ts'

/** What a command printed, and how it ended. */
export type Ended = { exitCode: number | null; out: string; err: string }

/** What a command's process sees: `env` and nothing else but the paths of this one. */
function whole(env: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  return { PATH, HOME, ...env }
}

/** Runs `bin/cambio` as its own process, for tests of just that. All others use `runCommand`. */
export async function runAlone(args: string[], env: Record<string, string>): Promise<Ended> {
  const child = spawn(process.execPath, [join(projectFolder, 'bin/cambio'), ...args], {
    env: whole(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { exitCode, out, err }
}

/** A process that does one command after the other. */
type Doer = { run(args: string[], env: Record<string, string>): Promise<Ended> }

/** Those that have nothing to do just now. They end with this process. */
const idle: Doer[] = []

/**
 * Runs a command line in another process with `env`: one that stays for the next command, so that only the first one costs
 * half a second (see command-process.ts). What is given at the same time is done at the same time.
 */
export async function runCommand(args: string[], env: Record<string, string>): Promise<Ended> {
  const doer = idle.pop() ?? startDoer()
  const ended = await doer.run(args, whole(env))
  idle.push(doer)
  return ended
}

function startDoer(): Doer {
  const program = join(projectFolder, 'dist/test/support/command-process.js')
  const child = spawn(process.execPath, [program], { env: whole({}) })
  // They are pipes, and pipes are sockets.
  const held = [child, child.stdin as Socket, child.stdout as Socket, child.stderr as Socket]
  let [out, err] = ['', '']
  let settle: { end(ended: Ended): void; fail(error: Error): void } | undefined
  const look = () => {
    const [, printed = '', code] = /^(.*)\0(\d+)\0$/s.exec(out) ?? []
    if (code === undefined || !err.endsWith('\0')) return
    settle?.end({ exitCode: Number(code), out: printed, err: err.slice(0, -1) })
  }
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
    look()
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
    look()
  })
  child.once('close', () => settle?.fail(new Error(`A command has ended the process of others:\n${out}${err}`)))

  return {
    run: async (args, env) => {
      ;[out, err] = ['', '']
      for (const one of held) one.ref()
      const order: Order = { args, env }
      child.stdin.write(`${JSON.stringify(order)}\n`)
      const ended = await new Promise<Ended>((end, fail) => (settle = { end, fail }))
      for (const one of held) one.unref()
      return ended
    },
  }
}

/** The command line of an exchange that runs. */
export type CommandLine = {
  cambio(...args: string[]): Promise<Ended>
  /** The one JSON value that a command prints, which must succeed and complain of nothing. */
  told<Value>(...args: string[]): Promise<Value>
}

/** Opens it: commands find the exchange as an operator's would, by DATABASE_URL and DATA_DIR. */
export const commandLineOf = ({ ownerUrl, dataDir }: Exchange, more: Record<string, string> = {}): CommandLine =>
  commandLine({ DATABASE_URL: ownerUrl, DATA_DIR: dataDir, ...more })

/** The command line with these settings. */
export function commandLine(env: Record<string, string>): CommandLine {
  const cambio = (...args: string[]) => runCommand(args, env)
  return {
    cambio,
    told: async <Value>(...args: string[]) => {
      const { exitCode, out, err } = await cambio(...args, '--json')
      assert.deepEqual([exitCode, err], [0, ''], args.join(' '))
      return JSON.parse(out) as Value
    },
  }
}
