import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import { holdsCardNumber, isCardNumber } from './card-number.ts'

test('the number of a payment card is found in a text, and other numbers are not', () => {
  const rows = table(`
    text                                     card
    4242424242424242                         yes
    4242 4242 4242 4242                      yes
    4242-4242-4242-4242                      yes
    4242 - 4242 - 4242 - 4242                yes
    5555555555554444                         yes
    2223003122003222                         yes
    378282246310005                          yes
    3782 822463 10005                        yes
    6011111111111117                         yes
    30569309025904                           yes
    3530111333300000                         yes
    6200000000000005                         yes
    4222222222222                            yes
    6304000000000000                         yes
    card 4242424242424242 please             yes
    card4242424242424242now                  yes
    order-4242424242424242                   yes
    ref 12 4242 4242 4242 4242               yes
    https://x.example/4242424242424242?a=1   yes
    4242424242424242@example.com             yes
    4242424242424241                         no
    1234567812345670                         no
    424242424242                             no
    424242424242 1                           no
    42424242424242424242424242               no
    4242.4242.4242.4242                      no
    2026-09-25                               no
    ORD-2026-000123                          no
    0000000000000000                         no
    ４２４２４２４２４２４２４２４２                         yes
    ''                                       no
  `)
  for (const { text = '', card } of rows) assert.equal(holdsCardNumber(text), card === 'yes', text)
})

test('a hexadecimal identifier is a text like any other', () => {
  assert.equal(holdsCardNumber('a1b2c3d4-4242-4242-4242-4242e5f6a7b8'), true)
  assert.equal(holdsCardNumber('507f1f77c4242424242424242c'), true)
  assert.equal(holdsCardNumber('0xdeadbeefdeadbeef4242424242424242deadbeef'), true)
})

test('few identifiers are taken for a card by chance', () => {
  const taken = Array.from({ length: 20_000 }, () => randomUUID()).filter(holdsCardNumber).length
  assert.ok(taken < 60, `${taken} of 20,000 UUIDs`)
})

test('a payout address is taken for a card only where it is nothing but digits, spaces and dashes', () => {
  assert.equal(isCardNumber('4242 4242 4242 4242'), true)
  assert.equal(isCardNumber('0x4242424242424242aaaa'), false)
  assert.equal(isCardNumber('1A4242424242424242zz'), false)
})

test('a number with any separators in it is found anywhere in a text', () => {
  const visa = fc
    .array(fc.integer({ min: 0, max: 9 }), { minLength: 14, maxLength: 14 })
    .map((digits) => withCheckDigit([4, ...digits]))
  const gap = fc.constantFrom('', ' ', '-', '  ', ' - ')
  fc.assert(
    fc.property(
      visa,
      fc.array(gap, { minLength: 16, maxLength: 16 }),
      fc.constantFrom('', 'pay ', 'x:'),
      (digits, gaps, before) => {
        const text = digits.map((digit, place) => `${digit}${gaps[place] ?? ''}`).join('')
        assert.equal(holdsCardNumber(before + text), true, before + text)
      },
    ),
  )
})

test('no text takes long to look through', () => {
  const nasty = [
    '1 '.repeat(20_000),
    '4'.repeat(40_000),
    'a-'.repeat(20_000),
    `1${' '.repeat(40_000)}`,
    '1-a'.repeat(13_000),
  ]
  for (const text of nasty) {
    // Processor time: what else runs on the machine does not count.
    const start = process.cpuUsage()
    holdsCardNumber(text)
    const { user, system } = process.cpuUsage(start)
    assert.ok(user + system < 500_000, text.slice(0, 20))
  }
})

function withCheckDigit(digits: number[]): number[] {
  const sum = digits.toReversed().reduce((total, digit, place) => {
    const doubled = place % 2 === 0 ? digit * 2 : digit
    return total + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
  return [...digits, (10 - (sum % 10)) % 10]
}
