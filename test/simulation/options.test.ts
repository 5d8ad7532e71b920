import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ordinary } from './option-market.ts'
import { play, type Run } from './options.ts'
import { attacks, optionsTable } from './options-table.ts'

const run: Run = { seed: 11, windows: 150, volatility: ordinary }

test('every attack on held prices loses under the shipped policy, customers’ and institutions’', () => {
  for (const seed of [11, 12]) {
    for (const attack of attacks) {
      const { mean, paid, house } = play(attack, { ...run, seed })
      const name = `${attack.kind} ${attack.pays}, seed ${seed}`
      assert.ok(paid > 0, `${name}: it is played`)
      assert.ok(mean < 0, `${name}: ${mean}`)
      assert.ok(house > 0)
    }
  }
})

test('a lock without a size would be worth something, and the same seed gives the same table', () => {
  const greedy = {
    kind: 'b2b',
    agreed: 2_000_000n,
    paid: 110_000_000n,
    watchSeconds: 20,
    pays: 'only at a gain',
  } as const
  const wild = { perYear: 8, jumpsPerDay: 50, jumpSize: 0.01 }
  const one = play({ ...greedy, name: 'no size', isUnlimited: true }, { ...run, volatility: wild })
  const other = play({ ...greedy, name: 'shipped' }, { ...run, volatility: wild })
  assert.ok(one.mean > 0)
  assert.ok(other.mean * 20 < one.mean, `${other.mean} of ${one.mean}: only what was agreed is at the old price`)
  const few = { ...run, windows: 20 }
  assert.deepEqual(optionsTable(few).lines, optionsTable(few).lines)
})
