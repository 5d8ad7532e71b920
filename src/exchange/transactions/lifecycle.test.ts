import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ended, endsWithoutMoney, lifecycle, open, type Status } from './lifecycle.ts'

const statuses = Object.keys(lifecycle) as Status[]

test('every status can be reached from new', () => {
  const reached = new Set<Status>(['new'])
  for (const status of reached) for (const next of lifecycle[status]) reached.add(next)
  assert.deepEqual([...reached].toSorted(), statuses.toSorted())
})

test('from every status there is a way to an end', () => {
  for (const status of statuses) {
    const reached = new Set<Status>([status])
    for (const one of reached) for (const next of lifecycle[one]) reached.add(next)
    assert.ok(
      [...reached].some((one) => ended.has(one)),
      status,
    )
  }
})

test('what has ended is only ever opened again by a hold', () => {
  for (const status of ended) assert.deepEqual(lifecycle[status], ['on_hold'], status)
})

test('once money is being exchanged, nothing ends as if none had come', () => {
  for (const status of ['exchanging', 'sending', 'finished', 'refunded'] as const) {
    assert.ok(!lifecycle[status].some((next) => endsWithoutMoney.has(next)), status)
  }
})

test('a deadline ends only what still waits for money', () => {
  for (const status of statuses) {
    const expires = status !== 'on_hold' && lifecycle[status].includes('expired')
    assert.equal(expires, open.has(status), status)
  }
})
