import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readBooks } from './http-json.ts'

const book = (text: string) => readBooks(`{"BTC/EUR": ${text}}`, 7).get('BTC/EUR')

test('prices are read to the last digit, as texts and as numbers', () => {
  const at = Date.parse('2026-11-23T10:00:00Z')
  const dated = '"at": "2026-11-23T10:00:00Z"'
  assert.deepEqual(book(`{"bid": "89000.10", "ask": "89010.2", ${dated}}`), {
    bid: '89000.1',
    ask: '89010.2',
    receivedAt: 7,
    at,
  })
  assert.deepEqual(book('{"bid": 0.1234567890123456789, "ask": 2e-1}'), {
    bid: '0.1234567890123456789',
    ask: '0.2',
    receivedAt: 7,
  })
})

for (const text of [
  '{"bid": "NaN", "ask": "1"}',
  '{"bid": "-1", "ask": "1"}',
  '{"bid": "0", "ask": "1"}',
  '{"bid": null, "ask": "1"}',
  '{"ask": "1"}',
  '{"bid": "1", "ask": "2", "at": "yesterday"}',
  '{"bid": "1", "ask": "2", "at": 1764000000}',
  '{"bid": "1,000", "ask": "2,000"}',
  '"1"',
  'null',
]) {
  test(`${text} is malformed`, () => {
    assert.deepEqual(book(text), { unreadable: 'malformed' })
  })
}

for (const text of ['', '[]', 'null', '<html>', '{"BTC/EUR": {"bid"', '['.repeat(10_000)]) {
  test(`an answer ${JSON.stringify(text.slice(0, 20))} is refused whole`, () => {
    assert.throws(() => readBooks(text, 7))
  })
}
