import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../test/support/table.ts'
import { isNear, ratioOf } from '../platform/money/ratio.ts'
import { agree, middleOf, type SourceQuote } from './agree.ts'
import { compareDecimals } from './decimal.ts'

const now = Date.parse('2026-11-23T10:00:00Z')
const rules = { maxAgeMs: 10_000, toleranceBasisPoints: 200 }

/** Rows of `name bid ask age at`: ages in milliseconds, `at` relative to now. */
const quotesOf = (text: string): SourceQuote[] =>
  table(text).map(({ name: source = '', bid = '', ask = '', age = '0', at = '-' }) => ({
    source,
    bid,
    ask,
    receivedAt: now - Number(age),
    ...(at === '-' ? {} : { at: now + Number(at) }),
  }))

/** The price, and what is left out. */
function agreed(text: string, needed = 2): string {
  const { price, quotes } = agree(quotesOf(text), needed, rules, now)
  const out = quotes.flatMap(({ source, why }) => (why === undefined ? [] : [`${source} ${why}`]))
  return [price ? `${price.bid} ${price.ask}` : 'no price', ...out].join(', ')
}

const two = `
  name  bid    ask    age   at
  a     99.9   100.1  0     -
  b     99.92  100.12  0     -
`

for (const [what, row, outcome] of [
  ['nothing else', '', '99.9 100.12'],
  ['a source that agrees', 'c  99.94  100.14  0  -', '99.92 100.12'],
  ['one that is 5 percent too high', 'c  104.9  105.1  0  -', '99.9 100.12, c outlier'],
  ['one that is 5 percent too low', 'c  94.9  95.1  0  -', '99.9 100.12, c outlier'],
  ['one that is 1,000 times too high', 'c  99900  100100  0  -', '99.9 100.12, c outlier'],
  ['one that is 1,000 times too low', 'c  0.0999  0.1001  0  -', '99.9 100.12, c outlier'],
  ['one that went silent', 'c  99.94  100.14  10001  -', '99.9 100.12, c stale'],
  ['one with a frozen time', 'c  99.94  100.14  0  -10001', '99.9 100.12, c stale'],
  ['one whose clock is ahead', 'c  99.94  100.14  0  2001', '99.9 100.12, c clock_ahead'],
  ['one whose clock is a little ahead', 'c  99.94  100.14  0  1500', '99.92 100.12'],
  ['one that gives more than it asks', 'c  100.2  100.1  0  -', '99.9 100.12, c crossed'],
  ['one that gives nothing', 'c  0  100.1  0  -', '99.9 100.12, c crossed'],
] as const) {
  test(`two sources and ${what}: ${outcome}`, () => {
    assert.equal(agreed(`${two}  ${row}\n`), outcome)
  })
}

test('too few sources, and half against half, make no price', () => {
  assert.equal(agreed(two, 3), 'no price')
  const half = `${two}  c     120   120.2  0     -\n  d     120   120.2  0     -\n`
  assert.match(agreed(half), /^no price/)
  assert.equal(agreed('name  bid  ask  age  at\n a  10  11  0  -', 1), '10 11')
})

test('the age limit of one source replaces the one of all', () => {
  const [daily] = quotesOf('name  bid  ask  age  at\n ecb  1.1  1.1  0  -86400000')
  assert.ok(daily)
  assert.equal(agree([daily], 1, rules, now).price, undefined)
  const patient = agree([{ ...daily, maxAgeMs: 432_000_000 }], 1, rules, now)
  assert.deepEqual(patient.price, { bid: '1.1', ask: '1.1' })
  assert.equal(patient.freshUntil, now + 432_000_000 - 86_400_000)
})

const decimal = (from: bigint, to: bigint) =>
  fc.bigInt({ min: from, max: to }).map((units) => {
    const digits = units.toString().padStart(9, '0')
    return `${digits.slice(0, -8)}.${digits.slice(-8)}`.replace(/\.?0+$/, '')
  })
const near = decimal(99_200_000n * 100n, 100_800_000n * 100n)
const anywhere = decimal(1n, 10n ** 15n)

test('whatever one of three sources says, the price stays within what the other two say, and never crosses', () => {
  fc.assert(
    fc.property(near, near, near, near, anywhere, anywhere, (a, b, c, d, wildBid, wildAsk) => {
      const inOrder = (one: string, other: string) => [one, other].toSorted(compareDecimals) as [string, string]
      const quote = (source: string, [bid, ask]: [string, string]) => ({ source, bid, ask, receivedAt: now })
      const honest = [quote('a', inOrder(a, b)), quote('b', inOrder(c, d))]
      const wild = { source: 'wild', bid: wildBid, ask: wildAsk, receivedAt: now }
      const { price, quotes } = agree([...honest, wild], 2, rules, now)
      assert.ok(price, 'two of three agree')
      assert.ok(compareDecimals(price.bid, price.ask) <= 0)
      const [middle, first] = [middleOf(price), middleOf(honest[0] ?? price)]
      assert.ok(isNear(middle, first, 400), `${price.bid} ${price.ask}`)
      const isLeftOut = quotes.some(({ source, why }) => source === 'wild' && why !== undefined)
      if (isLeftOut) {
        for (const side of ['bid', 'ask'] as const)
          assert.ok(
            honest.some((one) => one[side] === price[side]),
            `the ${side} is one of theirs`,
          )
      }
      assert.ok(ratioOf(price.bid).numerator > 0n)
    }),
  )
})
