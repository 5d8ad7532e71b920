import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import { eventId, readEventId } from './event.ts'

test('an event id is read back as the stream and the sequence it was made of', () => {
  for (const key of [
    { stream: 123_456_789_012_345_678n, sequence: 1 },
    { stream: 2n ** 63n - 1n, sequence: 999_999 },
    { stream: 1n, sequence: 42 },
  ]) {
    assert.deepEqual(readEventId(eventId(key)), key)
  }
  assert.equal(eventId({ stream: 123_456_789_012_345_678n, sequence: 7 }), 'evt_123456789012345678000007')
})

test('what cannot be an event id is refused', () => {
  const rows = table(`
    text                            why
    evt_                            nothing
    evt_000007                      no stream
    evt_1000000                     no such sequence
    evt_0123000001                  a stream does not begin with nought
    evt_9223372036854775808000001   beyond 63 bits
    123456789012345678000007        no prefix
    evt_12345678901234567800007a    a character that is no digit
    EVT_123456789012345678000007    the wrong case
  `)
  for (const { text = '', why } of rows) assert.equal(readEventId(text), undefined, why)
})
