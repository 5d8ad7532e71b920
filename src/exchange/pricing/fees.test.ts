import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { feeSchedules, percentText, scheduleAt } from './fees.ts'
import type { FeeSchedule } from './fees.ts'

test('basis points are written as a percentage', () => {
  const rows = table(`
    points  text
    0       0%
    1       0.01%
    10      0.1%
    50      0.5%
    100     1%
    250     2.5%
    1234    12.34%
  `)
  for (const { points = '', text } of rows) assert.equal(percentText(Number(points)), text)
})

test('a fee schedule holds from its time on, to the millisecond', () => {
  const [first] = feeSchedules
  assert.ok(first)
  const later: FeeSchedule = { ...first, version: 'later', from: new Date('2027-01-01T00:00:00.000Z') }
  assert.equal(scheduleAt(new Date('2026-12-31T23:59:59.999Z'), [first, later]), first)
  assert.equal(scheduleAt(new Date('2027-01-01T00:00:00.000Z'), [first, later]), later)
})

test('the house always has a price list, and its versions come in order with names of their own', () => {
  assert.ok(scheduleAt(new Date(0)))
  const times = feeSchedules.map(({ from }) => from.getTime())
  assert.deepEqual(
    times,
    times.toSorted((a, b) => a - b),
  )
  assert.equal(new Set(feeSchedules.map(({ version }) => version)).size, feeSchedules.length)
})
