import assert from 'node:assert/strict'
import { test } from 'node:test'

import { parseDuration } from './duration.ts'

test('a duration is read to the millisecond', () => {
  const read: [text: string, ms: number][] = [
    ['PT0S', 0],
    ['PT1S', 1_000],
    ['PT0.5S', 500],
    ['PT1.005S', 1_005],
    ['PT15M', 900_000],
    ['PT24H', 86_400_000],
    ['PT1H30M', 5_400_000],
    ['P5D', 432_000_000],
    ['P1DT12H', 129_600_000],
    ['P1DT0.001S', 86_400_001],
    ['P2W', 1_209_600_000],
    ['PT31M', 1_860_000],
    ['PT90061S', 90_061_000],
  ]
  for (const [text, ms] of read) assert.equal(parseDuration(text), ms, text)
})

test('what is not a duration, or has no fixed length, is refused', () => {
  const refused = ['', 'P', 'PT', 'P1', 'P1DT', 'P1Y', 'P1M', 'P1Y2M', 'P1W2D', '-PT1S', '+PT1S', 'PT-1S', 'PT1,5S']
  refused.push(
    'PT1.5M',
    'PT.5S',
    'PT1.S',
    'PT1.0005S',
    '15m',
    '900',
    'pt15m',
    ' PT1S',
    'PT1S ',
    'PT1M1H',
    'PT1S\n',
    'P٣D',
    'PT9999999999S',
  )
  for (const text of refused) assert.throws(() => parseDuration(text), RangeError, text)
})

test('a duration too long to count in milliseconds is refused', () => {
  assert.equal(parseDuration('P99999999D'), 99_999_999 * 86_400_000)
  assert.throws(() => parseDuration('P999999999D'), RangeError)
})
