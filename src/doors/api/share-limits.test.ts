import assert from 'node:assert/strict'
import { after, before, it, test } from 'node:test'

import fc from 'fast-check'

import { testContext } from '../../../test/support/api.ts'
import { testDatabase } from '../../../test/support/database.ts'
import type { Ctx } from '../../exchange/context.ts'
import { sharing } from './share-limits.ts'
import { type Buckets, type BucketSize, tokenBuckets } from './token-bucket.ts'

let ctx: Ctx
let now = 0
before(async () => {
  ctx = await testContext(await testDatabase())
  ctx.clock.realNow = () => new Date(now)
})
after(() => ctx.db.close())

/** Processes on one database, each with its own buckets. */
const processes = (count: number): { buckets: Buckets<string>; share: () => Promise<void> }[] =>
  Array.from({ length: count }, () => {
    const buckets = tokenBuckets<string>()
    return { buckets, share: sharing(ctx, { some: buckets }) }
  })

const takeAll = (buckets: Buckets<string>, name: string, size: BucketSize): number => {
  let taken = 0
  while (buckets.take(name, now, size) === 0) taken += 1
  return taken
}

test('what one process lets through is taken off in the others, once', async () => {
  const size = { perSecond: 1, burst: 10 }
  const [one, two, three] = processes(3)
  assert.ok(one && two && three)
  for (let times = 0; times < 4; times += 1) one.buckets.take('key', now, size)
  await one.share()
  for (let times = 0; times < 3; times += 1) await two.share()
  assert.equal(takeAll(two.buckets, 'key', size), 6)
  assert.equal(takeAll(two.buckets, 'other', size), 10)
  await two.share()
  await one.share()
  assert.equal(takeAll(one.buckets, 'key', size), 0)
  await three.share()
  assert.equal(takeAll(three.buckets, 'key', size), 0, 'a process that starts now knows of it too')
})

it('holds over all processes, within one burst and two seconds of rate for each other one', async () => {
  const size = { perSecond: 5, burst: 20 }
  const count = 3
  const turns = fc.array(fc.array(fc.nat(12), { minLength: count, maxLength: count }), { minLength: 10, maxLength: 30 })
  await fc.assert(
    fc.asyncProperty(turns, async (asked) => {
      const all = processes(count)
      const name = String((now += 3_600_000))
      let through = 0
      for (const [second, wants] of asked.entries()) {
        for (const [index, { buckets, share }] of all.entries()) {
          for (let times = 0; times < (wants[index] ?? 0); times += 1)
            through += buckets.take(name, now, size) === 0 ? 1 : 0
          await share()
        }
        const budget = size.burst + size.perSecond * second
        const slack = (count - 1) * (size.burst + 2 * size.perSecond)
        assert.ok(through <= budget + slack, `${through} in ${second} seconds`)
        now += 1_000
      }
    }),
    { numRuns: 20 },
  )
})

it('continues at the rate of one budget when callers never stop', async () => {
  const size = { perSecond: 5, burst: 20 }
  const all = processes(3)
  let late = 0
  for (let second = 0; second < 60; second += 1) {
    for (const { buckets, share } of all) {
      const taken = takeAll(buckets, 'greedy', size)
      if (second >= 30) late += taken
      await share()
    }
    now += 1_000
  }
  assert.ok(late <= 30 * size.perSecond + 15, `${late} in the last 30 seconds`)
  assert.ok(late >= 30 * size.perSecond - 15, `${late} in the last 30 seconds`)
})
