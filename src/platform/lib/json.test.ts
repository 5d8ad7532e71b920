import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import { isExactNumber, jsonNumber, parseDocument, parseJson, plainDecimal } from './json.ts'
import { promised } from '../../../test/support/promised.ts'

/** What `JSON.parse` would have given: exact numbers as doubles. */
function loosened(value: unknown): unknown {
  if (isExactNumber(value)) return Number(value.text)
  if (Array.isArray(value)) return value.map(loosened)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, loosened(inner)] as const)
  return Object.fromEntries(entries)
}

test('a document gives a name one value, at every depth, and is otherwise read as JSON', () => {
  const document = { a: [{ b: 1.5 }, { b: null }], c: '{"d": 1, "d": 2}' }
  assert.deepEqual(parseDocument(JSON.stringify(document)), document)
  for (const text of ['{"a": 1, "a": 2}', '{"x": [{"a": 1, "b": 2, "a": 3}]}', '{"a": 1, "\\u0061": 2}'])
    assert.throws(() => parseDocument(text), /^Refusal: a is given twice\.$/)
  assert.throws(() => parseDocument('{'), SyntaxError)
  assert.throws(() => parseDocument('['.repeat(100_000)), /nested too deeply/)
})

test('a number keeps every digit of its text', () => {
  const body = parseJson('{"a": 0.10000000000000000000000001, "b": [12345678901234567890, -5E-7]}')
  assert.deepEqual(JSON.parse(JSON.stringify(body)), {
    a: { text: '0.10000000000000000000000001' },
    b: [{ text: '12345678901234567890' }, { text: '-5E-7' }],
  })
})

test('everything but numbers is read as JSON.parse reads it', () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      assert.deepEqual(loosened(parseJson(text)), JSON.parse(text))
    }),
    { numRuns: 300 },
  )
})

test('what JSON.parse refuses is refused, and nothing else', () => {
  const pieces = [
    '{',
    '}',
    '[',
    ']',
    '"a"',
    ':',
    ',',
    '1',
    '-',
    '.',
    'e',
    '0',
    'true',
    'null',
    ' ',
    '\\',
    '"',
    '\u0001',
    '\ufeff',
  ]
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...pieces), { maxLength: 9 }), (parts) => {
      const text = parts.join('')
      let isJson = true
      try {
        JSON.parse(text)
      } catch {
        isJson = false
      }
      if (isJson) parseJson(text)
      else assert.throws(() => parseJson(text), { name: 'Refusal', code: 'BAD_REQUEST' }, text)
    }),
    { numRuns: 2_000 },
  )
})

test('of a name given twice the last value counts, and __proto__ is a name like any other', () => {
  const body = parseJson(
    '{"a": 1, "a": "two", "__proto__": {"isAdmin": true}, "constructor": {"prototype": {"x": "y"}}}',
  )
  assert.deepEqual(Object.keys(body as object), ['a', '__proto__', 'constructor'])
  assert.equal((body as { a: unknown }).a, 'two')
  assert.equal((body as { isAdmin?: unknown }).isAdmin, undefined)
  assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined)
  assert.equal(Object.getPrototypeOf(body), Object.prototype)
})

test('no JSON text can forge an exact number', () => {
  for (const text of [
    '{"text": "5"}',
    '{"Symbol(exact number)": true, "text": "5"}',
    '{"value": "5", "isLosslessNumber": true}',
  ]) {
    assert(!isExactNumber(parseJson(text)), text)
  }
  assert(isExactNumber(parseJson('5')))
})

test('64 levels are read, 65 are refused, and brackets inside strings do not count', () => {
  const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)
  parseJson(nested(64))
  assert.throws(() => parseJson(nested(65)), { code: 'BAD_REQUEST' })
  parseJson(JSON.stringify({ a: '['.repeat(100), 'b\\"{': `${'{'.repeat(100)}\\"` }))
})

test('no body of 256 KiB is slow to read or to refuse', () => {
  const size = 256 * 1024
  const fill = (text: string): string => text.repeat(Math.floor(size / text.length))
  const half = fill('1,').slice(0, size / 2)
  const hostile = {
    'deep nesting': fill('['),
    'deep objects': fill('{"a":'),
    'a huge exponent': `{"a": 1e${fill('9')}}`,
    'a long number': `[${fill('1')}]`,
    'many huge exponents': `[${fill('1e999999999,')}1]`,
    'one name many times': `{${fill('"a":1,')}"a":1}`,
    'large equal values of one name': `{"a":[${half}1],"a":[${half}1]}`,
    'many names': `{${Array.from({ length: size / 12 }, (_, at) => `"k${at}":1`).join(',')}}`,
    escapes: `"${fill('\\u0041')}"`,
    'an open string': `"${fill('a')}`,
    spaces: fill(' '),
  }
  const started = process.cpuUsage()
  for (const text of Object.values(hostile)) {
    try {
      parseJson(text)
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'BAD_REQUEST')
    }
  }
  const spentMs = process.cpuUsage(started).user / 1000
  assert(spentMs < promised(2_000), `${Object.keys(hostile).length} hostile bodies took ${spentMs} ms`)
})

test('every spelling of a number expands to the same plain decimal', () => {
  const rows = table(`
    text                              plain
    1                                 1
    -0                                -0
    10                                10
    0.10                              0.1
    5e-7                              0.0000005
    5E-07                             0.0000005
    1.50e+1                           15
    1.5e1                             15
    12.34e-1                          1.234
    0.05e1                            0.5
    0.05e2                            5
    0.05e3                            50
    120e-1                            12
    -2.5e1                            -25
    0e30                              0
    1e30                              1000000000000000000000000000000
    1e-30                             0.000000000000000000000000000001
    1e0000000000000000000000000000007  10000000
    1e31                              undefined
    1e-31                             undefined
    1e100                             undefined
    1e999999999999                    undefined
    1234567890123456789012345678901   undefined
    0.1234567890123456789012345678901  undefined
  `)
  for (const { text = '', plain = '' } of rows) {
    const number = parseJson(text)
    assert(isExactNumber(number))
    assert.equal(String(plainDecimal(number)), plain, text)
  }
})

test('expanding keeps the value, whatever the digits and the exponent', () => {
  const digits = fc.stringMatching(/^(0|[1-9]\d{0,13})(\.\d{1,15})?$/)
  fc.assert(
    fc.property(digits, fc.integer({ min: -30, max: 30 }), (mantissa, exponent) => {
      const number = parseJson(`${mantissa}e${exponent}`)
      assert(isExactNumber(number))
      const [whole = '', fraction = ''] = (plainDecimal(number) ?? '').split('.')
      const [wholeIn = '', fractionIn = ''] = mantissa.split('.')

      const scaled = BigInt(whole + fraction.padEnd(50, '0'))
      assert.equal(scaled * 10n ** 30n, BigInt(wholeIn + fractionIn.padEnd(50, '0')) * 10n ** BigInt(30 + exponent))
    }),
    { numRuns: 500 },
  )
})

test('a decimal text becomes the JSON number of the same value, and anything else is a fault', () => {
  assert.equal(JSON.stringify([jsonNumber('20'), jsonNumber('0.1'), jsonNumber('15000.5')]), '[20,0.1,15000.5]')
  for (const text of ['', ' ', '1e5', 'NaN', 'Infinity', '0x10', '1.', '.5']) {
    assert.throws(() => jsonNumber(text), { name: 'AssertionError' }, text)
  }
})
