import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import { formatAmount, formatCents, parseAmount, scale } from './amount.ts'
import type { Asset } from './amount.ts'

const asset = (decimals: number): Asset => ({ id: 'X-X', ticker: 'X', network: 'X', decimals })
const anyDecimals = fc.integer({ min: 0, max: 18 })
const anyUnits = fc.bigInt({ min: 0n, max: 10n ** 29n })

test('an amount is read to the smallest unit, or refused', () => {
  const rows = table(`
    text                              decimals  units
    1.5                               2         150
    0.01                              2         1
    0                                 2         0
    007                               2         700
    1.500                             2         150
    1.000                             0         1
    1                                 0         1
    1.5                               0         refused
    1.005                             2         refused
    0.001                             3         1
    0.000000000000000001              18        1
    0.0000000000000000001             18        refused
    999999999999999999999999999999    2         99999999999999999999999999999900
    9999999999999999999999999999999   2         refused
    99999999999999999999              18        99999999999999999999000000000000000000
    100000000000000000000             18        refused
    123456789012345678.123456789012   18        123456789012345678123456789012000000
    1234567890123456789.123456789012  18        refused
    1e3                               2         refused
    -1                                2         refused
    +1                                2         refused
    1.                                2         refused
    .5                                2         refused
    1,5                               2         refused
    1 5                               2         refused
    0x10                              2         refused
    ١                                 2         refused
    NaN                               2         refused
    ''                                2         refused
  `)
  for (const { text = '', decimals = '', units = '' } of rows) {
    const read = (): bigint => parseAmount(text, asset(Number(decimals)))
    if (units === 'refused') assert.throws(read, { name: 'Refusal', code: 'BAD_REQUEST' }, text)
    else assert.equal(read(), BigInt(units), text)
  }
})

test('no amount that is read is too large for the database', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^\d{1,40}$/), anyDecimals, (text, decimals) => {
      try {
        assert(parseAmount(text, asset(decimals)) < 10n ** 38n)
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'BAD_REQUEST')
      }
    }),
  )
})

test('an amount is written without exponent and without trailing zeros', () => {
  const rows = table(`
    units                  decimals  text
    150                    2         1.5
    1                      2         0.01
    0                      2         0
    100                    2         1
    -5                     2         -0.05
    -100                   2         -1
    7                      0         7
    1                      18        0.000000000000000001
    1000000000000000000    18        1
    123456789              8         1.23456789
  `)
  for (const { units = '', decimals = '', text = '' } of rows) {
    assert.equal(formatAmount(BigInt(units), asset(Number(decimals))), text)
  }
})

test('what is written is read back to the same unit, for every number of decimals', () => {
  fc.assert(
    fc.property(anyUnits, anyDecimals, (units, decimals) => {
      const text = formatAmount(units, asset(decimals))
      assert.match(text, /^(0|[1-9]\d*)(\.\d*[1-9])?$/)
      assert.equal(parseAmount(text, asset(decimals)), units)
    }),
    { numRuns: 500 },
  )
})

test('zeros after the last digit change nothing', () => {
  fc.assert(
    fc.property(
      fc.bigInt({ min: 0n, max: 10n ** 20n }),
      anyDecimals,
      fc.integer({ min: 1, max: 9 }),
      (units, decimals, more) => {
        const text = formatAmount(units, asset(decimals))
        const longer = `${text.includes('.') ? text : `${text}.`}${'0'.repeat(more)}`
        fc.pre(longer.length <= 30)
        assert.equal(parseAmount(longer, asset(decimals)), units)
      },
    ),
  )
})

test('scaling down and up lie on the two sides of the exact value, less than one unit apart', () => {
  const ratio = fc.bigInt({ min: 1n, max: 10n ** 24n })
  fc.assert(
    fc.property(anyUnits, fc.oneof(fc.constant(0n), ratio), ratio, (amount, by, over) => {
      const [down, up] = [scale(amount, by, over, 'down'), scale(amount, by, over, 'up')]
      const isEven = (amount * by) % over === 0n

      assert(down * over <= amount * by)
      assert(amount * by < (down + 1n) * over)
      assert.equal(up - down, isEven ? 0n : 1n)
    }),
    { numRuns: 500 },
  )
})

test('scaling by a ratio and back never gains, rounding down', () => {
  const ratio = fc.bigInt({ min: 1n, max: 10n ** 12n })
  fc.assert(
    fc.property(anyUnits, ratio, ratio, (amount, by, over) => {
      assert(scale(scale(amount, by, over, 'down'), over, by, 'down') <= amount)
    }),
  )
})

test('a negative amount or ratio, or nothing to divide by, is a fault', () => {
  for (const [amount, by, over] of [
    [-1n, 1n, 1n],
    [1n, -1n, 1n],
    [1n, 1n, 0n],
    [1n, 1n, -1n],
  ] as const) {
    assert.throws(() => scale(amount, by, over, 'down'), { name: 'AssertionError' })
  }
})

test('cents have both decimals', () => {
  assert.deepEqual([0n, 5n, 150n, 28_870n, -5n].map(formatCents), ['0.00', '0.05', '1.50', '288.70', '-0.05'])
})
