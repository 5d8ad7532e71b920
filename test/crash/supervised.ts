import { type ChildProcess, spawn } from 'node:child_process'
import { openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'

import { projectFolder } from '../support/source.ts'

/** A process that is started again whenever it ends, with the same command, as a service manager does. */
export type Supervised = {
  name: string
  /** How often it has been started. */
  starts(): number
  /** What it said last each time it ended though nobody had killed it: a service that finds no database at its start does. */
  lastWords: string[]
  /** Kills it at once, wherever it stands. */
  kill(): void
  /** What it has logged, over all starts. */
  output(): string
  /** Ends it in order, and for good. */
  end(): Promise<void>
}

/** How long a service manager waits before it starts a process again, in milliseconds. */
const againAfterMs = 100

/** Starts `bin/cambio serve` with these settings, and keeps it running; what it says goes to `logFile`. */
export function supervise(name: string, env: Record<string, string>, logFile: string): Supervised {
  const log = openSync(logFile, 'a')
  const lastWords: string[] = []
  const output = () => readFileSync(logFile, 'utf8')
  let starts = 0
  let child: ChildProcess | undefined
  let isKilled = false
  let isOver = false

  async function keepRunning(): Promise<void> {
    while (!isOver) {
      starts += 1
      isKilled = false
      const started = spawn(process.execPath, [join(projectFolder, 'bin/cambio'), 'serve'], {
        env,
        stdio: ['ignore', log, log],
      })
      child = started
      await new Promise((resolve) => started.once('exit', resolve))
      if (isOver) return
      if (!isKilled) lastWords.push(output().trimEnd().split('\n').at(-1) ?? '')
      await wait(againAfterMs)
    }
  }
  const running = keepRunning()

  return {
    name,
    starts: () => starts,
    lastWords,
    kill: () => {
      isKilled = true
      child?.kill('SIGKILL')
    },
    output,
    end: async () => {
      isOver = true
      child?.kill('SIGTERM')
      await running
    },
  }
}
