import assert from 'node:assert/strict'
import { test } from 'node:test'

import { holdsCardNumber } from './card-number.ts'
import { randomId, readId } from './ids.ts'

test('a public id has 18 or 19 digits, is read as itself, and is never the number of a payment card', () => {
  for (let drawn = 0; drawn < 20_000; drawn += 1) {
    const id = randomId()
    assert.match(String(id), /^[1-9]\d{17,18}$/)
    assert.equal(readId(String(id)), id)
    assert.equal(holdsCardNumber(String(id)), false, String(id))
  }
})
