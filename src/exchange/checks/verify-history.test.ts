import assert from 'node:assert/strict'
import { describe, it } from 'node:test'

import { faultsOfHistory } from './verify-history.ts'
import type { Booked, Change } from './verify.sql.ts'

type ChangeTuple = [kind: Change['kind'], status: Change['status'], subjectId?: string]

const historyOf = (...changes: ChangeTuple[]): Change[] =>
  changes.map(([kind, status, subjectId = null], index) => ({ number: index + 1, kind, status, subjectId }))

const begun: ChangeTuple[] = [
  ['created', 'new'],
  ['completed', 'waiting_for_deposit'],
  ['deposit_final', 'exchanging', '10'],
  ['deposit_final', 'exchanging', '11'],
  ['deposit_reversed', 'exchanging', '10'],
]
const booked = [
  { kind: 'deposit', ref: '10' },
  { kind: 'exchange', ref: '1' },
  { kind: 'deposit', ref: '11' },
  { kind: 'deposit_reversed', ref: '10' },
  { kind: 'exchange_mirrored', ref: '1' },
  { kind: 'exchange', ref: '2' },
  { kind: 'payout_sent', ref: '20' },
]
const prepared: ChangeTuple = ['payout_prepared', 'sending', '20']

/** Histories with a second exchange: since that has an entry in the history, and from before. */
const histories: [name: string, history: Change[]][] = [
  ['with an entry of the history for it', historyOf(...begun, ['exchanged_again', 'exchanging', '2'], prepared)],
  ['from before it had one', historyOf(...begun, prepared)],
]
const isSecond = ({ kind, ref }: Booked): boolean => kind === 'exchange' && ref === '2'

describe('an exchange that is made again because another was reversed', () => {
  for (const [name, history] of histories) {
    const faults = (entries: Booked[], undoing = [10n]) => faultsOfHistory(history, { booked: entries, undoing })

    it(`is no fault, ${name}`, () => assert.deepEqual(faults(booked), []))

    it(`is missed where it is not booked, ${name}`, () => {
      const left = booked.filter((entry) => !isSecond(entry))
      assert(faults(left).includes('was exchanged 1 times and not 2'))
    })

    it(`is not taken for one more that is booked, ${name}`, () => {
      const more = [...booked, { kind: 'exchange', ref: '3' }]
      assert.deepEqual(faults(more), ['was exchanged 3 times and not 2'])
    })
  }

  it('is the one that its entry of the history names', () => {
    const [[, history]] = histories as [(typeof histories)[0]]
    const other = booked.map((entry) => (isSecond(entry) ? { ...entry, ref: '3' } : entry))
    assert.deepEqual(faultsOfHistory(history, { booked: other, undoing: [10n] }), ['has no exchange 2 in the books'])
  })

  it('does not exist where a reversal has undone nothing', () => {
    const left = booked.filter(({ kind }) => kind !== 'exchange_mirrored')
    const history = historyOf(...begun, prepared)
    assert.deepEqual(faultsOfHistory(history, { booked: left, undoing: [] }), ['was exchanged 2 times and not 1'])
  })
})
