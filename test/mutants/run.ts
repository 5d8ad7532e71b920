import { parseArgs } from 'node:util'

import { type Fate, killMutants } from './kill.ts'
import { readMutants } from './mutant.ts'

/*
 * `npm run mutants`: removes one guard after another (test/mutants/*.patch) and checks that a test notices.
 *
 *   npm run mutants                        all of them
 *   npm run mutants -- fence lease         only these
 *   npm run mutants -- --jobs 4            four at a time
 *
 * Each runs in its own copy of the checkout: first the test files that its patch names, then two seeds of the simulation. Exits
 * with 1 if one survives, no longer applies or does not compile.
 */

const { values, positionals } = parseArgs({ options: { jobs: { type: 'string' } }, allowPositionals: true })
const jobs = Number(values.jobs ?? 1)
if (!Number.isInteger(jobs) || jobs < 1) refuse('--jobs must be a positive whole number.')

const all = readMutants()
const unknown = positionals.filter((name) => all.every((mutant) => mutant.name !== name))
if (unknown.length > 0) refuse(`Unknown mutants: ${unknown.join(', ')}.`)
const mutants = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort())
const fates = await killMutants(mutants, { jobs, signal: interrupted.signal, tell })
const count = (end: Fate['end']): number => fates.filter((fate) => fate.end === end).length
const untried = mutants.length - fates.length
console.log(
  `${mutants.length} mutants: ${count('caught')} caught, ${count('survived')} survived, ${count('broken')} broken` +
    `${untried > 0 ? `, ${untried} not tried` : ''}.`,
)
process.exitCode = count('caught') === mutants.length ? 0 : 1

function tell({ mutant, end, by, seconds }: Fate): void {
  const result = { caught: `caught by ${by}`, survived: `SURVIVED ${by}`, broken: `BROKEN: ${by}` }[end]
  console.log(`${mutant.name} (${seconds.toFixed(0)} s): ${result}`)
  if (end === 'survived') console.log(`  ${mutant.guard}`)
}

function refuse(message: string): never {
  console.error(message)
  process.exit(2)
}
