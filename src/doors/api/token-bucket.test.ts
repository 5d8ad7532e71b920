import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { type BucketSize, tokenBuckets } from './token-bucket.ts'

/** Buckets of one size. */
function bucketsOf<Name>(size: BucketSize, most?: number): (name: Name, nowMs: number) => number {
  const { take } = tokenBuckets<Name>(most)
  return (name, nowMs) => take(name, nowMs, size)
}

test('a bucket gives its burst at once, then as much as flows in, and says how long to wait', () => {
  const take = bucketsOf<string>({ perSecond: 2, burst: 3 })
  assert.deepEqual([take('a', 0), take('a', 0), take('a', 0)], [0, 0, 0])
  assert.equal(take('a', 0), 500)
  assert.equal(take('a', 499), 1)
  assert.equal(take('a', 500), 0)
  assert.equal(take('b', 500), 0, 'another name has its own bucket')
  assert.deepEqual([take('a', 60_000), take('a', 60_000), take('a', 60_000)], [0, 0, 0], 'it is never fuller than full')
  assert.ok(take('a', 60_000) > 0)
})

test('a clock that runs back neither fills nor breaks a bucket', () => {
  const take = bucketsOf<string>({ perSecond: 1, burst: 1 })
  assert.equal(take('a', 10_000), 0)
  assert.equal(take('a', 5_000), 1_000)
  assert.equal(take('a', 10_500), 500)
})

test('no more is ever taken than the burst and what flowed in', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 3_000 }), { maxLength: 200 })
  fc.assert(
    fc.property(steps, fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 50 }), (waits, perSecond, burst) => {
      const take = bucketsOf<string>({ perSecond, burst })
      let now = 0
      let taken = 0
      for (const wait of waits) {
        now += wait
        if (take('a', now) === 0) taken += 1
      }
      assert.ok(taken <= burst + (now * perSecond) / 1000 + 1e-6)
    }),
  )
})

test('memory is bounded: the name used longest ago is forgotten, and starts full again', () => {
  const take = bucketsOf<number>({ perSecond: 1, burst: 1 }, 2)
  assert.deepEqual([take(1, 0), take(2, 0), take(1, 0)], [0, 0, 1_000])
  assert.equal(take(3, 0), 0)
  assert.equal(take(1, 0), 1_000, '1 was used after 2, so 2 was forgotten')
  assert.equal(take(2, 0), 0)
})

test('a bucket whose size changes keeps what fits, and fills as it is now', () => {
  const { take } = tokenBuckets<string>()
  const [wide, narrow] = [
    { perSecond: 1, burst: 5 },
    { perSecond: 10, burst: 2 },
  ]
  assert.equal(take('a', 0, wide), 0)
  assert.deepEqual([take('a', 0, narrow), take('a', 0, narrow)], [0, 0], 'two of the four left still fit')
  assert.equal(take('a', 0, narrow), 100)
  assert.equal(take('a', 0, wide), 1_000, 'a wider bucket is not fuller')
  assert.equal(take('a', 100, narrow), 0)
})

test('what was given out elsewhere is owed here, by a bucket that is there and by one that is not yet', () => {
  const size = { perSecond: 10, burst: 5 }
  const here = tokenBuckets<string>()
  assert.equal(here.take('known', 0, size), 0)
  here.charge('known', 0, 7)
  here.charge('new', 0, 7)
  // 5 - 1 - 7 and 5 - 7: so much must flow in, and one token more.
  assert.deepEqual([here.take('known', 0, size), here.take('new', 0, size)], [400, 300])
  assert.deepEqual([here.take('known', 400, size), here.take('new', 300, size)], [0, 0])
  assert.deepEqual(here.takenSince(), [
    ['known', 2],
    ['new', 1],
  ])
  assert.deepEqual(here.takenSince(), [])
})

test('a debt is paid off while nobody asks, and no further than to a full bucket', () => {
  const size = { perSecond: 10, burst: 5 }
  const here = tokenBuckets<string>()
  here.take('asked', 0, size)
  for (const name of ['asked', 'unasked']) {
    here.charge(name, 0, 20)
    let taken = 0
    while (here.take(name, 60_000, size) === 0) taken += 1
    assert.equal(taken, 5, name)
  }
})
