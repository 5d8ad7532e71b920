/**
 * `npm run mutants`: takes one guard out after the other (test/mutants/*.patch), and looks whether a test notices.
 *
 *   npm run mutants                        all of them
 *   npm run mutants -- fence lease         only these
 *   npm run mutants -- --jobs 4            so many at once
 *
 * Each is tried in a copy of the checkout of its own: first the test files that its patch names, then two seeds of the
 * simulation. Ends with 1 if one survives, does not apply any more or does not compile.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'

import { buildIfNeeded, root } from './build.js'

const { values, positionals } = parseArgs({ options: { jobs: { type: 'string' } }, allowPositionals: true })
const jobs = Number(values.jobs ?? 1)
if (!Number.isInteger(jobs) || jobs < 1) fail('--jobs is a whole number.')

buildIfNeeded()
/** @param {string} file */
const compiled = (file) => import(pathToFileURL(join(root, 'dist/test/mutants', file)).href)
/** @type {unknown} */
const reading = await compiled('mutant.js')
const { readMutants } = /** @type {typeof import('../test/mutants/mutant.ts')} */ (reading)
/** @type {unknown} */
const killing = await compiled('kill.js')
const { killMutants } = /** @type {typeof import('../test/mutants/kill.ts')} */ (killing)

const all = readMutants()
const unknown = positionals.filter((name) => all.every((mutant) => mutant.name !== name))
if (unknown.length > 0) fail(`No such mutant: ${unknown.join(', ')}.`)
const mutants = all.filter(({ name }) => positionals.length === 0 || positionals.includes(name))

const interrupted = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => interrupted.abort())
const fates = await killMutants(mutants, {
  jobs,
  signal: interrupted.signal,
  tell: ({ mutant, end, by, seconds }) => {
    const how = end === 'caught' ? `caught by ${by}` : end === 'survived' ? `SURVIVED ${by}` : `BROKEN: ${by}`
    console.log(`${mutant.name} (${seconds.toFixed(0)} s): ${how}`)
    if (end === 'survived') console.log(`  ${mutant.guard}`)
  },
})
/** @param {string} end */
const count = (end) => fates.filter((fate) => fate.end === end).length
const untried = mutants.length - fates.length
console.log(
  `${mutants.length} mutants: ${count('caught')} caught, ${count('survived')} survived, ${count('broken')} broken` +
    `${untried > 0 ? `, ${untried} not tried` : ''}.`,
)
process.exitCode = count('caught') === mutants.length ? 0 : 1

/** @param {string} message */
function fail(message) {
  console.error(message)
  process.exit(2)
}
