import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { arch, cpus, loadavg, totalmem } from 'node:os'
import { join } from 'node:path'

import type { Line } from './line.ts'
import { isQuick } from './size.ts'

/** A run that was kept: of which sources, on which machine, and how busy that was when the run began. */
type Results = { sources: string; measured_at: string; machine: object; load: number; lines: Line[] }

/** `bench/results.json`: the newest whole run and the newest quick one. Their rounds differ in length, so each is compared with its own. */
export type Kept = { whole?: Results; quick?: Results }

const project = join(import.meta.dirname, '../..')
const file = join(project, 'bench/results.json')
/** The load of the last minute before anything was measured. */
const [loadAtStart = 0] = loadavg()

export const readKept = async (): Promise<Kept> => JSON.parse(await readFile(file, 'utf8')) as Kept

/** Writes a run to its place in the kept results. */
export async function keepResults(kept: Kept, lines: Line[]): Promise<void> {
  const results = {
    sources: sourcesOf(),
    measured_at: new Date().toISOString(),
    machine: machine(),
    load: loadAtStart,
    lines,
  }
  await writeFile(file, `${JSON.stringify({ ...kept, [isQuick ? 'quick' : 'whole']: results }, null, 2)}\n`)
}

/** What is measured, and whether the kept results are of the same sources. */
export function sourcesText(kept: Kept): string {
  const { cpu, cores } = machine()
  const now = `${cores} cores of ${cpu}, load ${loadAtStart.toFixed(1)}, Node ${process.version}`
  const before = isQuick ? kept.quick : kept.whole
  if (!before) return `${now}. No results are kept yet.`
  const age = before.sources === sourcesOf() ? 'of these sources' : 'OF OTHER SOURCES'
  return `${now}. Kept results are ${age}, of ${before.measured_at}, load ${before.load.toFixed(1)}.`
}

const machine = () => ({
  node: process.version,
  arch: arch(),
  cores: cpus().length,
  cpu: cpus()[0]?.model ?? 'an unknown processor',
  memory: totalmem(),
})

/** Identifies what a benchmark measures. The results themselves are not part of it, so they can be kept in the commit they are of. */
function sourcesOf(): string {
  const what = ['--', 'src', 'migrations', 'package-lock.json']
  const committed = execFileSync('git', ['ls-tree', '-r', 'HEAD', ...what], { cwd: project })
  const changed = execFileSync('git', ['diff', 'HEAD', ...what], { cwd: project, maxBuffer: 2 ** 28 })
  return createHash('sha256').update(committed).update(changed).digest('hex').slice(0, 16)
}
