import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { percentText } from './fees.ts'
import { wholeBasisPoints } from './price.ts'

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
    12.5    0.125%
    0.000001  0.00000001%
  `)
  for (const { points = '', text } of rows) assert.equal(percentText(Number(points)), text)
  for (let points = 0; points <= wholeBasisPoints; points += 1) {
    assert.equal(percentText(points), `${formatAmount(BigInt(points), { decimals: 2 })}%`)
  }
})
