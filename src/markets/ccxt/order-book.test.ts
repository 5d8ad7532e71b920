import assert from 'node:assert/strict'
import { test } from 'node:test'

import { readOrderBook } from './order-book.ts'

test('one malformed level makes the whole book unreadable; a removed level is left out', () => {
  const sound = { bids: [['10', '1']], asks: [['11', '1']] }
  assert.deepEqual(readOrderBook(sound, 5), sound)
  for (const bids of [[['ten', '1']], [['10', '-1']], [['0', '1']], [['10']], ['10'], undefined, 7])
    assert.equal(readOrderBook({ ...sound, bids }, 5), undefined, JSON.stringify(bids))
  assert.deepEqual(readOrderBook({ bids: [['10', '0'], ...sound.bids], asks: [] }, 5)?.bids, sound.bids)
})
