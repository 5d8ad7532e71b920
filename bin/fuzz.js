/**
 * `npm run fuzz`: sends many more requests to a sandbox than the suite does, drawn from the served OpenAPI document.
 *
 *   npm run fuzz                             1,000 requests for each operation
 *   npm run fuzz -- --cases 5000 --seed 7    5,000, starting with seed 7
 *
 * Runs in rounds, each with a fresh sandbox and another seed. A failure names the seed and the request.
 */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { root } from './build.js'

/** As many as fit into the time limit of a test file. */
const casesOfRound = 1_000

const { values } = parseArgs({ options: { cases: { type: 'string' }, seed: { type: 'string' } } })
const cases = Number(values.cases ?? 1_000)
const first = Number(values.seed ?? process.pid)
if (!Number.isInteger(cases) || cases < 1 || !Number.isInteger(first)) {
  console.error('--cases and --seed must be whole numbers.')
  process.exit(2)
}

for (let sent = 0, seed = first; sent < cases; sent += casesOfRound, seed += 100) {
  const env = {
    ...process.env,
    FUZZ_CASES: String(Math.min(casesOfRound, cases - sent)),
    SEED: String(seed),
  }
  const { status } = spawnSync(process.execPath, [join(root, 'bin/test.js'), 'stories/fuzz'], { env, stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
