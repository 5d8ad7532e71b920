import assert from 'node:assert/strict'
import { test } from 'node:test'

import { openHealth } from './health.ts'

function bookAt() {
  let at = 0
  const book = openHealth(() => at)
  return {
    ...book,
    pass: (ms: number) => {
      at += ms
    },
  }
}

test('a rail whose page failed to open three times is down for a minute, and up again when it opens', () => {
  const book = bookAt()
  for (const isUp of [true, true, false]) {
    book.record('cards', 'open_failed')
    assert.equal(book.isUp('cards'), isUp)
  }
  assert.equal(book.isUp('other'), true)
  book.pass(60_001)
  assert.equal(book.isUp('cards'), true, 'it is tried again')
  book.record('cards', 'open_failed')
  assert.equal(book.isUp('cards'), false)
  book.pass(60_001)
  for (let opened = 0; opened < 4; opened += 1) book.record('cards', 'opened')
  assert.equal(book.isUp('cards'), true)
  assert.deepEqual(book.of('cards').counts, { opened: 4, open_failed: 4, paid: 0, declined: 0 })
})

test('declined customers do not stop a rail, unless nearly all of twenty are', () => {
  const book = bookAt()
  for (let count = 0; count < 17; count += 1) book.record('cards', 'declined')
  book.record('cards', 'paid')
  book.record('cards', 'paid')
  assert.equal(book.isUp('cards'), true)
  book.record('cards', 'declined')
  assert.equal(book.of('cards').paymentRate, 0.1)
  assert.equal(book.isUp('cards'), true)
  book.record('cards', 'declined')
  assert.equal(book.isUp('cards'), false)
  book.pass(300_001)
  assert.equal(book.isUp('cards'), true)
})
