import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { startTestServer } from '../support/server.ts'
import { projectFolder } from '../support/source.ts'
import { endGroup } from './end-group.ts'
import { testsOf } from './mutant.ts'

/*
 * Runs in the copy that a mutant was built in, with the words of its tests: until one test fails, else the simulation. The last
 * line of what it says is that test's file and name, or `survived`. `--only tests` and `--only simulation` leave out the other.
 */

/** What the simulation plays where no test has noticed: always the same. */
const simulated = { seeds: ['7', '11'], steps: '400' }

const simulation = join(projectFolder, 'dist/test/simulation/simulate.js')

const {
  values: { only },
  positionals: words,
} = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true })

const server = await startTestServer()
Object.assign(process.env, server.env)
const interrupted = new AbortController()
process.once('SIGTERM', () => interrupted.abort())
try {
  const noticed = only === 'simulation' ? undefined : await sureFailure()
  const caught = noticed ?? (only === 'tests' ? undefined : await brokenSeed())
  process.stdout.write(`\n${caught ?? 'survived'}\n`)
} finally {
  await stopServer()
}
process.exit()

/** A database that was being made when its test was ended is there a moment later: then once more. */
async function stopServer(): Promise<void> {
  for (let left = 10; ; left -= 1) {
    try {
      await server.stop()
      return
    } catch (error) {
      if (left === 0) throw error
      await delay(500)
    }
  }
}

/** The first test that fails again and again: one that the machine was only too busy for is no proof. */
async function sureFailure(): Promise<string | undefined> {
  const seen = new Set<string>()
  for (;;) {
    const caught = await firstFailure()
    interrupted.signal.throwIfAborted()
    if (caught === undefined || seen.has(caught)) return caught
    seen.add(caught)
  }
}

/**
 * The first test that fails. What is still under way then is ended, the runner with it: one whose file is ended in the middle of a
 * word may never come to an end by itself (Node 20).
 */
function firstFailure(): Promise<string | undefined> {
  const runner = spawn(process.execPath, [join(import.meta.dirname, 'first-failure.js'), ...testsOf(words)], {
    detached: true,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const end = () => endGroup(runner)
  interrupted.signal.addEventListener('abort', end)
  let caught: string | undefined
  return new Promise((resolve, reject) => {
    createInterface(runner.stdout).once('line', (line) => {
      caught = line
      end()
    })
    runner.once('error', reject)
    // Not before its processes have ended: they use the databases that go now.
    runner.once('close', (status) => {
      interrupted.signal.removeEventListener('abort', end)
      if (caught === undefined && status !== 0 && !interrupted.signal.aborted)
        reject(new Error('Tests could not be run.'))
      else resolve(caught)
    })
  })
}

/** The first of the simulation's seeds that something breaks in; none where there is no simulation. */
async function brokenSeed(): Promise<string | undefined> {
  if (!existsSync(simulation)) return undefined
  for (const seed of simulated.seeds) {
    if (!(await holds(seed))) return `the simulation, seed ${seed}`
  }
  return undefined
}

function holds(seed: string): Promise<boolean> {
  const args = [simulation, '--seed', seed, '--steps', simulated.steps]
  const child = spawn(process.execPath, args, { stdio: 'inherit', signal: interrupted.signal })
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (status) => resolve(status === 0))
  })
}
