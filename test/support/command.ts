import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'

import type { Exchange } from './exchange.ts'
import { projectFolder } from './source.ts'

/** What a command printed, and how it ended. */
export type Ended = { exitCode: number | null; out: string; err: string }

/** Runs `bin/cambio` as a process of its own, with `env` and nothing else but the paths of this one. */
export async function runCommand(args: string[], env: Record<string, string>): Promise<Ended> {
  const { PATH = '', HOME = '' } = process.env
  const child = spawn(process.execPath, [join(projectFolder, 'bin/cambio'), ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', resolve)
  })
  const [out, err, exitCode] = await Promise.all([text(child.stdout), text(child.stderr), ended])
  return { exitCode, out, err }
}

/** The command line of an exchange that runs. */
export type CommandLine = {
  cambio(...args: string[]): Promise<Ended>
  /** The one JSON value that a command prints, which must succeed and complain of nothing. */
  told<Value>(...args: string[]): Promise<Value>
}

/** Opens it: commands find the exchange as an operator's would, by DATABASE_URL and DATA_DIR. */
export function commandLineOf({ ownerUrl, dataDir }: Exchange): CommandLine {
  const cambio = (...args: string[]) => runCommand(args, { DATABASE_URL: ownerUrl, DATA_DIR: dataDir })
  return {
    cambio,
    told: async <Value>(...args: string[]) => {
      const { exitCode, out, err } = await cambio(...args, '--json')
      assert.deepEqual([exitCode, err], [0, ''], args.join(' '))
      return JSON.parse(out) as Value
    },
  }
}
