import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'

import { runSeed } from './run.ts'
import { seedsThatFailed } from './seeds.ts'

test('one seed is one story: run twice, it leaves the same trace', async () => {
  const one = await runSeed(1, 120)
  const other = await runSeed(1, 120)
  assert.equal(one.trace, other.trace)
})

for (const { seed, steps, found } of seedsThatFailed) {
  test(`what seed ${seed} found does not happen again: ${found}`, async () => {
    await runSeed(seed, steps)
  })
}

test('nothing that must hold breaks, whatever happens, in seeds that nobody has chosen', async (t) => {
  const end = performance.now() + 8_000
  const until = () => performance.now() > end
  for (let seeds = 0; seeds < 20 && !until(); seeds += 1) {
    const { seed, steps, trace } = await runSeed(randomInt(2 ** 31), 300, { until })
    t.diagnostic(`seed ${seed}: ${steps} steps, trace ${trace}`)
  }
})
