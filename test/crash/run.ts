import { parseArgs } from 'node:util'

import { crash } from './crash.ts'

/*
 * `npm run crash`: kills the real processes of an exchange and checks that nothing was lost, done twice or left stuck.
 *
 *   npm run crash                             20 kills
 *   npm run crash -- --kills 100 --seed 7     100 kills, at the moments this seed gives
 *
 * An API process, a worker process and a PostgreSQL run under a load of creates and deposits; at random moments one of them is
 * killed with `kill -9` and started again with the same command. Exits with 1 and lists what is wrong, if anything is.
 */

const { values } = parseArgs({ options: { kills: { type: 'string' }, seed: { type: 'string' } } })
const kills = Number(values.kills ?? 20)
const seed = Number(values.seed ?? process.pid)
if (!Number.isInteger(kills) || kills < 1 || !Number.isInteger(seed)) {
  console.error('--kills and --seed must be whole numbers.')
  process.exit(2)
}

console.log(`seed ${seed}`)
const { problems, figures, logs } = await crash({ kills, seed, tell: console.log })
console.log(figures)
if (problems.length > 0) {
  console.error(`${logs}\n\n${problems.length} problems (seed ${seed}):\n${problems.slice(0, 50).join('\n')}`)
  process.exitCode = 1
} else console.log('Nothing was lost, nothing was done twice, nothing is stuck, and the books balance.')
