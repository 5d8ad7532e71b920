import assert from 'node:assert/strict'
import { test } from 'node:test'

import { memoOf } from './memo.ts'

const ids = Array.from({ length: 20_000 }, (_, index) => BigInt(index + 1))
const memos = new Set(ids.map(memoOf))

test('every id has its own memo, ten digits that fit 32 bits', () => {
  assert.equal(memos.size, ids.length)
  for (const memo of [...memos, memoOf(2n ** 31n), memoOf(2n ** 62n), memoOf(0n)]) {
    assert.match(memo, /^[1-9]\d{9}$/)
    assert(BigInt(memo) < 2n ** 32n, memo)
  }
  const far = new Set([0n, 1n, 164_748_364n, 329_496_727n, 329_496_728n].map(memoOf))
  assert.equal(far.size, 5)
})

test('no slip of the pen leads from one memo to another, whosever it is', () => {
  for (const memo of [...memos].slice(0, 5_000)) {
    for (const slip of slipsOf(memo)) {
      assert(slip.length !== 10 || memoThatBegins(slip.slice(0, 9)) !== slip, `${memo} and ${slip}`)
    }
  }
})

const [least, count, stride] = [100_000_000n, 329_496_729n, 179_424_673n]

/** The one memo with these nine digits, if any. Goes back from the digits to the id. */
function memoThatBegins(digits: string): string | undefined {
  const place = BigInt(digits) - least
  if (place < 0n || place >= count) return undefined
  const memo = memoOf((place * inverse) % count)
  assert.equal(memo.slice(0, 9), digits)
  return memo
}

/** What undoes a multiplication by the stride, by the extended algorithm of Euclid. */
const inverse = ((): bigint => {
  let [a, b, x, y] = [stride, count, 1n, 0n]
  while (b > 0n) [a, b, x, y] = [b, a % b, y, x - (a / b) * y]
  return ((x % count) + count) % count
})()

/** One digit wrong, two neighbors changed, one digit left out or written twice: then it has not ten digits. */
function* slipsOf(memo: string): Generator<string> {
  for (const [index, digit] of [...memo].entries()) {
    const [head, tail] = [memo.slice(0, index), memo.slice(index + 1)]
    for (const other of '0123456789') if (other !== digit) yield head + other + tail
    const next = tail.charAt(0)
    if (next !== digit && next !== '') yield head + next + digit + tail.slice(1)
    yield head + tail
    yield head + digit + digit + tail
  }
}
