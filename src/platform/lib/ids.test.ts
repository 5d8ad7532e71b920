import assert from 'node:assert/strict'
import { test } from 'node:test'

import { isLuhnValid } from './card-number.ts'
import { randomId, randomLetters, readId } from './ids.ts'

test('a public id has 15 digits, survives a JavaScript number, and is never Luhn-valid', () => {
  const leading = new Map<string, number>()
  for (let drawn = 0; drawn < 20_000; drawn += 1) {
    const id = randomId()
    assert.match(String(id), /^[1-9]\d{14}$/)
    assert.equal(BigInt(Number(id)), id)
    assert.equal(readId(String(id)), id)
    assert.equal(isLuhnValid(String(id)), false, String(id))
    const first = String(id).slice(0, 1)
    leading.set(first, (leading.get(first) ?? 0) + 1)
  }
  assert.equal(leading.size, 9)
  for (const count of leading.values()) assert.ok(count > 1_900 && count < 2_550, String(count))
})

test('an id of before, with 18 or 19 digits, is still read', () => {
  for (const text of ['481516234210864235', '9223372036854775807']) assert.equal(readId(text), BigInt(text))
  for (const text of ['9223372036854775808', '0123', '12a', '', '-1']) assert.equal(readId(text), undefined)
})

test('random letters are 16 letters without a digit, and differ', () => {
  const drawn = Array.from({ length: 2_000 }, randomLetters)
  for (const one of drawn) assert.match(one, /^[bcdfghjkmnpqrstv]{16}$/)
  assert.equal(new Set(drawn).size, drawn.length)
})
