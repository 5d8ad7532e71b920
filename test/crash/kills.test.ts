import assert from 'node:assert/strict'
import { test } from 'node:test'

import { crash } from './crash.ts'

test('ten kills of API, worker and database lose nothing, do nothing twice, and leave nothing stuck', async () => {
  const seed = process.pid
  const { problems, figures, logs } = await crash({ kills: 10, seed, settings: { JOB_LEASE: 'PT2S' } })
  console.log({ seed, ...figures })
  assert.deepEqual(problems, [], `seed ${seed}\n${logs}`)
  assert.ok(figures.deposited > 0)
})
