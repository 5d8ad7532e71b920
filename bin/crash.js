/**
 * `npm run crash`: kills the real processes of an exchange, and looks whether anything was lost, done twice or left stuck.
 *
 *   npm run crash                             20 kills
 *   npm run crash -- --kills 100 --seed 7     so many, at the moments of this seed
 *
 * An API process, a worker process and a PostgreSQL run under a load of creates and deposits; at random moments one of them is
 * killed with `kill -9` and started again with the same command. Ends with 1 and says what is wrong, if anything is.
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { pathToFileURL } from 'node:url'

import { buildIfNeeded, root } from './build.js'

const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' } } })
const kills = Number(values.kills ?? 20)
const seed = Number(values.seed ?? process.pid)
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error('Both --kills and --seed are whole numbers.')
  process.exit(2)
}

buildIfNeeded()
/** @type {unknown} */
const imported = await import(pathToFileURL(join(root, 'dist/test/crash/crash.js')).href)
const { crash } = /** @type {typeof import('../test/crash/crash.ts')} */ (imported)
console.log(`seed ${seed}`)
const { problems, figures, logs } = await crash({ kills, seed, tell: console.log })
console.log(figures)
if (problems.length > 0) {
  console.error(`${logs}\n\n${problems.length} things are wrong (seed ${seed}):\n${problems.slice(0, 50).join('\n')}`)
  process.exitCode = 1
} else console.log('Nothing was lost, nothing done twice, nothing is stuck, and the books are in order.')
