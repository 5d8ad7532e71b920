import assert from 'node:assert/strict'
import { test } from 'node:test'

import { gather } from './gather.ts'

test('items that come while a run is under way share the next one', async () => {
  const runs: number[][] = []
  const add = gather(async (items: number[]) => {
    runs.push(items)
    await new Promise((resolve) => setImmediate(resolve))
    return items.map((item) => item + 1)
  })
  const first = add(1)
  await Promise.resolve()
  await Promise.resolve()
  const others = [add(2), add(3), add(4)]
  assert.deepEqual(await Promise.all([first, ...others]), [2, 3, 4, 5])
  assert.deepEqual(runs, [[1], [2, 3, 4]])
})

test('one bad item harms no other', async () => {
  const halve = gather(async (items: number[]) => {
    if (items.some((item) => item % 2 === 1)) throw new Error('odd')
    return items.map((item) => item / 2)
  })
  const answers = await Promise.allSettled([halve(2), halve(3), halve(4)])
  assert.deepEqual(
    answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'refused')),
    [1, 'refused', 2],
  )
})

test('a run that may have happened all the same is not repeated', async () => {
  let runs = 0
  const write = gather(
    async (items: number[]): Promise<number[]> => {
      runs += 1
      throw new Error(`the answer for ${items.length} was lost`)
    },
    { mayRepeat: () => false },
  )
  const answers = await Promise.allSettled([write(1), write(2)])
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(runs, 1)
})

test('no run has more items than allowed', async () => {
  const sizes: number[] = []
  const count = gather(
    async (items: number[]) => {
      sizes.push(items.length)
      return items
    },
    { most: 3 },
  )
  await Promise.all([1, 2, 3, 4, 5, 6, 7].map((item) => count(item)))
  assert.ok(Math.max(...sizes) <= 3, `runs of ${sizes.join(', ')}`)
})
