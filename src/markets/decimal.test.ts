import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { isGreater } from '../exchange/pricing/path.ts'
import { ratioOf } from '../platform/money/ratio.ts'
import { compareDecimals, priceText, readDecimal } from './decimal.ts'

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

test('a price is rounded to twelve digits, down below and up above its value', () => {
  const positive = fc.bigInt({ min: 1n, max: 10n ** 24n })
  fc.assert(
    fc.property(positive, positive, (numerator, denominator) => {
      const price = { numerator, denominator }
      const [below, above] = [ratioOf(priceText(price, 'down')), ratioOf(priceText(price, 'up'))]
      assert.ok(!isGreater(below, price) && !isGreater(price, above))
      const wider = { numerator: below.numerator * (10n ** 11n + 2n), denominator: below.denominator * 10n ** 11n }
      assert.ok(!isGreater(above, wider), `${below.numerator}/${below.denominator}`)
    }),
  )
  assert.equal(priceText(ratioOf('89000.10'), 'up'), '89000.1')
  assert.equal(priceText({ numerator: 1n, denominator: 3n }, 'down'), '0.333333333333')
})
