import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { bodyDictionaries } from './data/body-dictionaries.ts'
import { packBody, unpackBody } from './pack-body.ts'

test('a packed body unpacks to the same text, byte for byte', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme', maxLength: 2_000 }),
      (text) => unpackBody(packBody(text)).toString() === text,
    ),
  )
  fc.assert(fc.property(fc.json(), (text) => unpackBody(packBody(text)).toString() === text))
})

test('bodies of every dictionary stay readable', () => {
  // Each packed on the day its dictionary came. If this fails, a dictionary was changed under the events that it packed.
  const packed = ['Aasm2kQ8DQ0sCbsWAA==', 'Aqsm2kQ87RksCbsWAA==', 'A6sm2kQ8TTUsCbsWAA==']
  assert.equal(packed.length, bodyDictionaries.length)
  const text = '{"created_at":"2026-01-01T00:00:00.000Z","requesterType":"EXCHANGE","refund_reason":null}'
  for (const one of packed) assert.equal(unpackBody(Buffer.from(one, 'base64')).toString(), text)
})

test('bytes that no dictionary of ours has packed are a fault', () => {
  assert.throws(() => unpackBody(Buffer.of(200, 1, 2)), /no dictionary/)
  assert.throws(() => unpackBody(Buffer.of()), /no dictionary/)
})
