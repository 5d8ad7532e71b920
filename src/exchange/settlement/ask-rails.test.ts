import assert from 'node:assert/strict'
import { test } from 'node:test'

import { table } from '../../../test/support/table.ts'
import type { RailEvent } from '../../rails/rail.ts'
import { progressOf } from './ask-rails.ts'

/** Each fact is what was said, of which payment, under which reference; the customer was sent to `new` last. */
const rows = table(`
  told                                      word
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
  final/1/new,reversed/1/new,seen/2/new     paid
`)

test('nobody is asked to pay again where a rail has money, an attempt under way, or a word that nobody has met', () => {
  for (const { told = '', word } of rows) {
    const facts = told.split(',').flatMap((one): RailEvent[] => {
      const [kind, payment = '', reference = ''] = one.split('/')
      if (!kind) return []
      const known = kind === 'unknown' ? kind : (`deposit_${kind}` as RailEvent['kind'])
      return [{ key: one, kind: known, reference, payment, asset: 'EUR-EUR', amount: 1n, body: {} }]
    })
    assert.equal(progressOf(facts, 'new'), word, told)
  }
})
