import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { parseJson } from '../lib/json.ts'
import { Refusal } from '../lib/refusal.ts'
import { amountText, readAmount, readCutAmount, readOptionalAmount } from './amount-in.ts'
import type { Asset } from './amount.ts'

const BTC: Asset = { id: 'BTC-BTC', ticker: 'BTC', network: 'BTC', decimals: 8 }

const isRefusedAt =
  (path: string) =>
  (error: unknown): boolean =>
    error instanceof Refusal &&
    error.code === 'BAD_REQUEST' &&
    error.problems.length === 1 &&
    error.problems[0]?.path === path

test('an amount comes as a JSON number in any spelling or as a numeric string, and is read exactly', () => {
  const rows = table(`
    json                                units
    1                                   100000000
    0.1                                 10000000
    5e-7                                50
    5E-7                                50
    1.50e+1                             1500000000
    100000e-5                           100000000
    0.1000000000                        10000000
    1e-8                                1
    1e-9                                refused
    0.123456785                         refused
    1e9                                 100000000000000000
    9007199254740993                    900719925474099300000000
    1e30                                refused
    1e31                                refused
    1e999999999                         refused
    1e-999999999                        refused
    0                                   refused
    0.0                                 refused
    -0                                  refused
    0e5                                 refused
    -1                                  refused
    1000000000000000000000000000000     refused
    "1"                                 100000000
    "0.1"                               10000000
    "1.50"                              150000000
    "1e3"                               refused
    "5e-7"                              refused
    "0"                                 refused
    "0.00"                              refused
    "-1"                                refused
    "+1"                                refused
    " 1"                                refused
    "1 "                                refused
    "1\\n"                              refused
    "1."                                refused
    ".5"                                refused
    "1,5"                               refused
    "0x1"                               refused
    "0.000000001"                       refused
    "Infinity"                          refused
    true                                refused
    false                               refused
    []                                  refused
    [1]                                 refused
    {}                                  refused
    {"text":"5"}                        refused
    {"value":"5","isLosslessNumber":1}  refused
    null                                absent
    ""                                  absent
    "null"                              absent
  `)
  for (const { json = '', units = '' } of rows) {
    const read = (): bigint | undefined => readOptionalAmount(parseJson(json), BTC, 'from_amount')
    if (units === 'refused') assert.throws(read, isRefusedAt('from_amount'), json)
    else assert.equal(read(), units === 'absent' ? undefined : BigInt(units), json)
  }
})

test('an amount that must be there is refused with its path when it is not', () => {
  for (const absent of [undefined, null, '', 'null']) {
    assert.throws(() => readAmount(absent, BTC, 'from_amount'), {
      code: 'BAD_REQUEST',
      problems: [{ path: 'from_amount', code: 'REQUIRED', message: 'This is required.' }],
    })
  }
})

test('an ill-formed amount is refused before its asset is known', () => {
  for (const text of [' 1', '1 ', '+1', '-1', '1.', '.5', '1e3', '1,5', '0x1', '1_000', 'NULL', '1\n', '١']) {
    assert.throws(() => amountText(text, 'from_amount'), isRefusedAt('from_amount'), text)
  }
  assert.equal(amountText('1.50', 'from_amount'), '1.50')
  assert.equal(amountText(parseJson('1.50e1'), 'from_amount'), '15')
})

test('a repeated query value is no amount', () => {
  assert.throws(() => amountText(['1', '2'], 'from_amount'), { code: 'BAD_REQUEST' })
})

test('a number that was a double is a fault of ours, never an amount', () => {
  assert.throws(() => amountText(0.1, 'from_amount'), { name: 'AssertionError' })
})

test('digits beyond the asset’s decimals are cut toward zero, and the cut is reported', () => {
  const euro: Asset = { id: 'EUR-EUR', ticker: 'EUR', network: 'EUR', decimals: 2 }
  const yen: Asset = { ...euro, ticker: 'JPY', decimals: 0 }
  const cut = (json: string, asset: Asset) => readCutAmount(parseJson(json), asset, 'from_amount')
  assert.deepEqual(cut('75.5599', euro), { units: 7_555n, isCut: true })
  assert.deepEqual(cut('"75.5599"', euro), { units: 7_555n, isCut: true })
  assert.deepEqual(cut('75.5500', euro), { units: 7_555n, isCut: false })
  assert.deepEqual(cut('0.1000000000000000055', euro), { units: 10n, isCut: true })
  assert.deepEqual(cut('99.99', yen), { units: 99n, isCut: true })
  for (const json of ['0.009', '9e-30', '"0.001"', '-1.999', '"1.000000000000000000000000000001"']) {
    assert.throws(() => cut(json, euro), isRefusedAt('from_amount'), json)
  }
})
