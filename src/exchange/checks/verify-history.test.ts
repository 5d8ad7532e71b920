import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { faultsOfHistory } from './verify-history.ts'
import type { Move } from './verify.sql.ts'

const begun: Move[] = [
  [1, 'created', 'new'],
  [2, 'complete', 'waiting_for_deposit'],
  [3, 'deposit:10', 'exchanging'],
  [4, 'deposit:11', 'exchanging'],
  [5, 'deposit_reversed:10', 'exchanging'],
]
const booked = [
  'deposit:10',
  'exchange:1',
  'deposit:11',
  'deposit_reversed:10',
  'exchange_mirrored:1',
  'exchange:2',
  'payout_sent:20',
]
const goOn = (history: Move[]): Move[] => [...history, [history.length + 1, 'payout_planned:20', 'sending']]

/** What histories that exchanged anew look like: since that has a move of its own, and before. */
const histories: [name: string, history: Move[]][] = [
  ['with a move of its own', goOn([...begun, [6, 'exchanged_anew:2', 'exchanging']])],
  ['from before it had one', goOn(begun)],
]

describe('an exchange that is made anew because another was undone', () => {
  for (const [name, history] of histories) {
    const faults = (entries: string[], undoing = [10n]) => faultsOfHistory(history, { booked: entries, undoing })

    it(`is no fault, ${name}`, () => assert.deepEqual(faults(booked), []))

    it(`is missed where it is not booked, ${name}`, () => {
      const left = booked.filter((entry) => entry !== 'exchange:2')
      assert(faults(left).includes('was exchanged 1 times and not 2'))
    })

    it(`is not taken for one more that is booked, ${name}`, () => {
      assert.deepEqual(faults([...booked, 'exchange:3']), ['was exchanged 3 times and not 2'])
    })
  }

  it('is the one that its move names', () => {
    const [[, history]] = histories as [(typeof histories)[0]]
    const other = booked.map((entry) => (entry === 'exchange:2' ? 'exchange:3' : entry))
    assert.deepEqual(faultsOfHistory(history, { booked: other, undoing: [10n] }), ['has no exchange:2 in the books'])
  })

  it('is none where a reversal has undone nothing', () => {
    const left = booked.filter((entry) => entry !== 'exchange_mirrored:1')
    assert.deepEqual(faultsOfHistory(goOn(begun), { booked: left, undoing: [] }), ['was exchanged 2 times and not 1'])
  })
})
