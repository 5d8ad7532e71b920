import assert from 'node:assert/strict'
import { test } from 'node:test'

import { assertUnique } from '../../../test/support/assert-unique.ts'
import { currencies } from '../../reference/catalog/currency.ts'
import { recordedLevels } from './recorded-levels.ts'

/** What one euro buys at the rate of a peg to the dollar, five significant digits. */
const pegs = { AED: 3.6725, BHD: 0.376, JOD: 0.709, HKD: 7.8 }

test('every currency of the catalog has a level, once, and no other has one', () => {
  assertUnique(recordedLevels.map(({ ticker }) => ticker))
  assert.deepEqual(
    ['EUR', ...recordedLevels.map(({ ticker }) => ticker)].toSorted(),
    currencies.map(({ ticker }) => ticker).toSorted(),
  )
})

test('each level is a plain number above zero', () => {
  for (const level of recordedLevels) {
    const text = 'perEuro' in level ? level.perEuro : level.dollars
    assert.match(text, /^(0|[1-9]\d*)(\.\d+)?$/, level.ticker)
    assert.match(text, /[1-9]/, level.ticker)
  }
})

test('pegged currencies are at their peg, stablecoins at their currency', () => {
  const perEuro = new Map(
    recordedLevels.flatMap((one) => ('perEuro' in one ? [[one.ticker, Number(one.perEuro)]] : [])),
  )
  const dollar = perEuro.get('USD') ?? assert.fail()
  for (const [ticker, peg] of Object.entries(pegs)) {
    const level = perEuro.get(ticker) ?? assert.fail(ticker)
    assert(Math.abs(level / (dollar * peg) - 1) < 0.006, ticker)
  }
  for (const { ticker, isStable } of currencies) {
    const level = recordedLevels.find((one) => one.ticker === ticker)
    if (!isStable || !level) continue
    const value = Number('perEuro' in level ? level.perEuro : level.dollars)
    assert(value > 0.99 && value < 1.01, ticker)
  }
})
