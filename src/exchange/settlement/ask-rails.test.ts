import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import type { RailEvent } from '../../rails/rail.ts'
import { progressOf } from './ask-rails.ts'

/** Each event is its kind, its payment and its reference. The customer was last sent to the reference `new`. */
const rows = table(`
  reported                                  progress
  ''                                        none
  declined/1/new                            none
  unknown/1/new                               begun
  unknown/1/old                               begun_before
  unknown/1/new,unknown/2/old                   begun_before
  unknown/1/new,declined/1/new                none
  declined/1/new,unknown/1/new                begun
  seen/1/new                                paid
  final/1/old                               paid
  final/1/new,unknown/1/new                   paid
  unknown/2/new,final/1/old                   paid
  final/1/new,reversed/1/new                none
  reversed/1/new,final/1/new                none
  final/1/new,withdrawn/1/new               none
  withdrawn/1/new,final/1/new               none
  final/1/new,reversed/1/new,seen/2/new     paid
`)

test('nobody is asked to pay again where a rail has money, an attempt under way, or a status that is not known', () => {
  for (const { reported = '', progress } of rows) {
    const events = reported.split(',').flatMap((one): RailEvent[] => {
      const [kind, payment = '', reference = ''] = one.split('/')
      if (!kind) return []
      const known = kind === 'unknown' ? kind : (`deposit_${kind}` as RailEvent['kind'])
      return [{ key: one, kind: known, reference, payment, asset: 'EUR-EUR', amount: 1n, body: {} }]
    })
    assert.equal(progressOf(events, 'new'), progress, reported)
  }
})
