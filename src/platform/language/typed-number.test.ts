import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { languageOf, languages } from './language.ts'
import { readNumber, twoReadings } from './typed-number.ts'

const read: [typed: string, withPoint: string | undefined, withComma: string | undefined][] = [
  ['1234', '1234', '1234'],
  ['1 234', '1234', '1234'],
  ['1’234.5', '1234.5', '1234.5'],
  ['0.5', '0.5', '0.5'],
  ['0,5', '0.5', '0.5'],
  ['0,123', '0.123', '0.123'],
  ['0.123', '0.123', '0.123'],
  ['1.25', '1.25', '1.25'],
  ['1,25', '1.25', '1.25'],
  ['1.2345', '1.2345', '1.2345'],
  ['1,234', undefined, '1.234'],
  ['1.234', '1.234', undefined],
  ['1,234.5', '1234.5', '1234.5'],
  ['1.234,5', '1234.5', '1234.5'],
  ['1,234,567', '1234567', '1234567'],
  ['1.234.567', '1234567', '1234567'],
  ['1.234.567,89', '1234567.89', '1234567.89'],
  ['12.', '12', '12'],
  ['12,', '12', '12'],
  [',5', '0.5', '0.5'],
  ['.5', '0.5', '0.5'],
  ['١٢٫٥', '12.5', '12.5'],
  ['١٬٢٣٤', '1234', '1234'],
  ['۴۵۶', '456', '456'],
]

test('a number is read as its reader means it, and not at all where it may be two', () => {
  for (const [typed, withPoint, withComma] of read) {
    assert.deepEqual([readNumber(typed, '.'), readNumber(typed, ',')], [withPoint, withComma], typed)
  }
})

test('what can be two numbers is read as both, and nothing else is', () => {
  assert.deepEqual(twoReadings('1,234', '.'), { whole: '1234', decimal: '1.234' })
  assert.deepEqual(twoReadings('1.000', ','), { whole: '1000', decimal: '1,000' })
  assert.deepEqual(twoReadings('١,٢٣٤', '.'), { whole: '1234', decimal: '1.234' })
  for (const [typed, withPoint, withComma] of read) {
    assert.equal(twoReadings(typed, '.') === undefined, withPoint !== undefined, typed)
    assert.equal(twoReadings(typed, ',') === undefined, withComma !== undefined, typed)
  }
  for (const typed of ['', 'ten', '1,2,3', '1,23', '0,123', '1234,567', '01,234', '-1,234', '1,234.'])
    assert.equal(twoReadings(typed, '.'), undefined, typed)
})

test('where a comma groups digits, a thousand is a thousand', () => {
  const rows = [
    ['1,000', '1000'],
    ['12,500', '12500'],
    ['0,123', '0.123'],
    ['1,25', '1.25'],
    ['1234,567', undefined],
  ]
  for (const [typed = '', read] of rows) assert.equal(readNumber(typed, '.', { groupsThousands: true }), read, typed)
  assert.equal(languageOf('en').readNumber('1,000'), '1000')
  assert.equal(languageOf('de').readNumber('1.000'), undefined)
})

test('what is no number is refused', () => {
  const no = [
    '',
    ' ',
    '.',
    ',',
    'ten',
    '1e3',
    '-5',
    '+5',
    '1..2',
    '1,2,3',
    '12,34,56',
    '1,23.4',
    '0,123,456',
    '1.2.3,4',
    '½',
  ]
  for (const typed of no)
    assert.deepEqual([readNumber(typed, '.'), readNumber(typed, ',')], [undefined, undefined], typed)
})

test('a formatted number is read back exactly, to the last digit, in every language', () => {
  const plains = fc.tuple(fc.bigInt({ min: 0n, max: 10n ** 20n }), fc.stringMatching(/^\d{1,18}$/))
  fc.assert(
    fc.property(fc.constantFrom(...languages), plains, (tag, [whole, fraction]) => {
      const { typed, readNumber: readTyped } = languageOf(tag)
      const plain = `${whole}.${fraction}`
      assert.equal(readTyped(typed(plain)), plain)
      assert.equal(readTyped(typed(String(whole))), String(whole))
    }),
  )
})
