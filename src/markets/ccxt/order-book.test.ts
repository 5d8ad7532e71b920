import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { compareDecimals, readDecimal, readOrderBook } from './order-book.ts'

test('decimal texts compare by their value', () => {
  const decimal = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 14n }), fc.integer({ min: 0, max: 12 }))
  fc.assert(
    fc.property(decimal, decimal, ([a, placesA], [b, placesB]) => {
      const [left, right] = [a * 10n ** BigInt(12 - placesA), b * 10n ** BigInt(12 - placesB)]
      const order = compareDecimals(readDecimal(`${a}e-${placesA}`) ?? '', readDecimal(`${b}e-${placesB}`) ?? '')
      assert.equal(Math.sign(order), left === right ? 0 : left < right ? -1 : 1)
    }),
  )
})

for (const [spelling, decimal] of [
  ['89000.10', '89000.1'],
  ['1e-8', '0.00000001'],
  ['0', '0'],
  ['-1', undefined],
  ['NaN', undefined],
  ['', undefined],
  ['0x10', undefined],
  ['1,000', undefined],
  ['1e99', undefined],
  ['1'.repeat(31), undefined],
] as const) {
  test(`${JSON.stringify(spelling)} is read as ${decimal ?? 'malformed'}`, () => {
    assert.equal(readDecimal(spelling), decimal)
  })
}

test('one malformed level makes the whole book unreadable; a removed level is left out', () => {
  const sound = { bids: [['10', '1']], asks: [['11', '1']] }
  assert.deepEqual(readOrderBook(sound, 5), sound)
  for (const bids of [[['ten', '1']], [['10', '-1']], [['0', '1']], [['10']], ['10'], undefined, 7])
    assert.equal(readOrderBook({ ...sound, bids }, 5), undefined, JSON.stringify(bids))
  assert.deepEqual(readOrderBook({ bids: [['10', '0'], ...sound.bids], asks: [] }, 5)?.bids, sound.bids)
})
