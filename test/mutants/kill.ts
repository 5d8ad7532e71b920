import { spawn } from 'node:child_process'
import { createWriteStream } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { projectFolder } from '../support/source.ts'
import { endGroup } from './end-group.ts'
import type { Mutant } from './mutant.ts'

/**
 * What became of a mutant. `caught`: `by` is the test that noticed. `survived`: none did. `broken`: the patch does not apply any
 * more, does not compile, or could not be tried; `by` says which, with what was said.
 */
export type Fate = { mutant: Mutant; end: 'caught' | 'survived' | 'broken'; by: string; seconds: number }

/** Not copied: `node_modules` is linked, and the history is not needed. */
const left = new Set(['node_modules', '.git', '.cambio', 'coverage'])

/** The longest that the tests of one mutant may take. */
const huntTimeoutMs = 600_000

/** How long what is ended has to end by itself. */
const graceMs = 10_000

/**
 * Tries mutants, so many at once: each in a copy of the checkout of its own, which is removed again with everything that was
 * started in it. Calls `tell` with each fate as it is known. An aborted signal ends it early.
 */
export async function killMutants(
  mutants: Mutant[],
  { jobs, signal, tell }: { jobs: number; signal: AbortSignal; tell: (fate: Fate) => void },
): Promise<Fate[]> {
  const fates: Fate[] = []
  const waiting = [...mutants]
  const untouched = new Map<string, Promise<string>>()
  /** Whether the same test file, or the simulation, fails in the sources as they are. */
  const isBrokenAnyway = async (by: string, { tests }: Mutant): Promise<boolean> => {
    const [where = ''] = by.split(/[:,]/)
    const words = where.endsWith('.test.ts') ? [where.replace(/\.ts$/, '')] : tests
    const only = where === 'the simulation' ? ['--only', 'simulation'] : ['--only', 'tests', ...words]
    const before = untouched.get(where) ?? inCopy((copy) => hunted(copy, only, signal))
    untouched.set(where, before)
    return (await before) !== survived
  }
  const lane = async (): Promise<void> => {
    for (let mutant = waiting.shift(); mutant && !signal.aborted; mutant = waiting.shift()) {
      const since = performance.now()
      const end = await fateOf(mutant, signal, isBrokenAnyway)
      if (signal.aborted) return
      const fate = { mutant, ...end, seconds: (performance.now() - since) / 1_000 }
      fates.push(fate)
      tell(fate)
    }
  }
  await Promise.all(Array.from({ length: jobs }, lane))
  return fates
}

/** The last word of a hunt that nothing came of. */
const survived = 'survived'

async function fateOf(
  mutant: Mutant,
  signal: AbortSignal,
  isBrokenAnyway: (by: string, mutant: Mutant) => Promise<boolean>,
): Promise<Pick<Fate, 'end' | 'by'>> {
  const { path, tests } = mutant
  try {
    const by = await inCopy(async (copy) => {
      await need('It does not apply', runIn(copy, ['git', 'apply', '--whitespace=nowarn', path], signal))
      return hunted(copy, tests, signal)
    })
    if (by === survived) return { end: 'survived', by: tests.join(' ') }
    if (!(await isBrokenAnyway(by, mutant))) return { end: 'caught', by }
    return { end: 'broken', by: `It fails in the sources as they are, too: ${by}` }
  } catch (error) {
    return { end: 'broken', by: error instanceof Error ? error.message : String(error) }
  }
}

/** Copies the checkout as it is, built files too, so that only what a patch changes is compiled. */
async function inCopy<T>(work: (copy: string) => Promise<T>): Promise<T> {
  const copy = await mkdtemp(join(tmpdir(), 'cambio-mutant-'))
  try {
    // The embedded database may run as another user, who has to get to its folder.
    await chmod(copy, 0o755)
    await mkdir(join(copy, '.temporary'), { mode: 0o755 })
    await cp(projectFolder, copy, { recursive: true, filter: (path) => !left.has(path.slice(projectFolder.length)) })
    await symlink(join(projectFolder, 'node_modules'), join(copy, 'node_modules'))
    return await work(copy)
  } finally {
    await rm(copy, { recursive: true, force: true, maxRetries: 5 })
  }
}

/** Builds a copy and runs tests in it until one fails, else the simulation. Gives what noticed, or `survived`. */
async function hunted(copy: string, tests: string[], signal: AbortSignal): Promise<string> {
  await need('It does not compile', runIn(copy, [process.execPath, 'bin/build.js'], signal))
  const hunt = runIn(copy, [process.execPath, 'dist/test/mutants/hunt.js', ...tests], signal)
  return (await need('Its tests could not be run', hunt)).split('\n').at(-1) ?? survived
}

/** What a program said that must have ended well. */
async function need(what: string, ran: Promise<{ status: number | null; said: string }>): Promise<string> {
  const { status, said } = await ran
  if (status !== 0) throw new Error(`${what}: ${said.slice(-2_000)}`)
  return said
}

/** Runs a program in a copy, as the leader of a group of processes that ends with it. Gives what it has said. */
async function runIn(
  copy: string,
  [program = '', ...args]: string[],
  signal: AbortSignal,
): Promise<{ status: number | null; said: string }> {
  signal.throwIfAborted()
  const log = join(copy, '.said')
  const env = {
    ...process.env,
    TMPDIR: join(copy, '.temporary'),
    // A checkout around the folder of temporary files is not the one that is patched.
    GIT_CEILING_DIRECTORIES: tmpdir(),
    NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --enable-source-maps`.trim(),
  }
  const child = spawn(program, args, { cwd: copy, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const said = createWriteStream(log)
  child.stdout.pipe(said, { end: false })
  child.stderr.pipe(said, { end: false })
  let last: NodeJS.Timeout | undefined
  const end = () => {
    child.kill('SIGTERM')
    last ??= setTimeout(endGroup, graceMs, child)
  }
  signal.addEventListener('abort', end)
  const timer = setTimeout(end, huntTimeoutMs)
  try {
    const status = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    endGroup(child)
    return { status, said: (await readFile(log, 'utf8')).trimEnd() }
  } finally {
    clearTimeout(timer)
    clearTimeout(last)
    signal.removeEventListener('abort', end)
    said.destroy()
  }
}
