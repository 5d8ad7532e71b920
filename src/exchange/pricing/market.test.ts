import assert from 'node:assert/strict'
import { test } from 'node:test'

import { bookOf, someTime } from '../../../test/support/arbitrary-terms.ts'
import { after } from '../../platform/lib/clock.ts'
import { isFresh } from './market.ts'

test('a book that is too old prices nothing, to the millisecond, and neither does one that is not there', () => {
  const book = bookOf('BTC', 'USD', 9n, 10n)
  const at = (ms: number) => ({ now: after(someTime, ms), maxPriceAgeSeconds: 60 })
  assert.equal(isFresh(at(0), book), true)
  assert.equal(isFresh(at(60_000), book), true)
  assert.equal(isFresh(at(60_001), book), false)
  assert.equal(isFresh(at(0), undefined), false)
})
