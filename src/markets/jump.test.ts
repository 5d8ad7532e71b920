import assert from 'node:assert/strict'
import { test } from 'node:test'

import { ratioOf } from '../platform/money/ratio.ts'
import { haltedAfter, newHistory } from './jump.ts'

const start = 1_764_000_000_000
const limit = 1_000

/** Whether the pair is halted after each price: `seconds price`. */
function halted(...prices: [second: number, price: string][]): boolean[] {
  const history = newHistory()
  return prices.map(([second, price]) => haltedAfter(history, ratioOf(price), start + second * 1_000, limit) > 0)
}

test('a move of more than ten percent within a minute halts a pair, up or down', () => {
  assert.deepEqual(halted([0, '100'], [59, '110']), [false, false])
  assert.deepEqual(halted([0, '100'], [59, '110.01']), [false, true])
  assert.deepEqual(halted([0, '100'], [59, '89.9']), [false, true])
  assert.deepEqual(halted([0, '100'], [62, '120']), [false, false], 'in more than a minute it is no jump')
  assert.deepEqual(halted([0, '100'], [20, '105'], [40, '111']), [false, false, true], 'in steps')
})

test('it opens by itself, a minute after the last price that differs so much', () => {
  assert.deepEqual(halted([0, '100'], [1, '120'], [60, '120'], [62, '120']), [false, true, true, false])
  assert.deepEqual(halted([0, '100'], [1, '120'], [2, '100'], [61, '100'], [64, '100']), [
    false,
    true,
    true,
    true,
    false,
  ])
})

test('a halt of an earlier leader holds', () => {
  const history = newHistory(start + 30_000)
  assert.equal(haltedAfter(history, ratioOf('100'), start, limit), start + 30_000)
  assert.equal(haltedAfter(history, ratioOf('100'), start + 30_000, limit), 0)
})
