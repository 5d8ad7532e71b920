import assert from 'node:assert/strict'
import { test } from 'node:test'

import { policies, policiesWith } from '../../../test/support/policies.ts'
import { policyKinds } from '../policies/kinds.ts'
import { environmentOf } from '../../app/config/environment.ts'
import type { RiskDocument } from '../policies/risk.ts'
import { watchedFrom, watchesAll } from './watched.ts'

const now = new Date('2026-11-23T10:00:00Z')
const { rules: shipped } = policyKinds.risk.shipped(environmentOf('live'))
const fromWith = (...rules: RiskDocument['rules']) =>
  watchedFrom(policiesWith({ kind: 'risk', document: { rules: [...shipped, ...rules] } }).at(now, 'risk'))
const rule = (when: RiskDocument['rules'][number]['when'], level: 'high' | 'medium' = 'high') => ({
  name: 'own',
  sentence: 'A rule of a test.',
  when,
  level,
})

test('customers are looked at from where a rule that holds payments may apply', () => {
  const shippedFrom = { transactions: 20, cents: 500_000n, atAddress: 4 }
  assert.deepEqual(fromWith(), shippedFrom)
  assert.deepEqual(watchedFrom(policies.at(now, 'risk')), { ...shippedFrom, atAddress: null })
  assert.deepEqual(fromWith(rule([{ fact: 'transactions_in_day', at_least: 5 }])), {
    ...shippedFrom,
    transactions: 5,
  })
  assert.deepEqual(fromWith(rule([{ fact: 'eur_in_month', at_least: 200 }])), {
    ...shippedFrom,
    cents: 1_000n,
  })
  assert.deepEqual(fromWith(rule([{ fact: 'eur_in_month', at_least: 200 }], 'medium')), shippedFrom)
  assert.deepEqual(fromWith(rule([{ fact: 'customers_at_address', at_least: 2 }])), { ...shippedFrom, atAddress: 2 })
})

test('everybody is looked at where a rule may hold somebody of whom nothing is known', () => {
  const everybody = { transactions: 0, cents: 0n, atAddress: null }
  assert.deepEqual(fromWith(rule([{ fact: 'kyc_status', one_of: ['not_started'] }])), everybody)
  assert.deepEqual(fromWith(rule([{ fact: 'country', one_of: ['watched'] }])), everybody)
  assert.notDeepEqual(fromWith(rule([{ fact: 'kyc_status', one_of: ['rejected'] }])), everybody)
})

test('and where the partner has separate rules, or the country was blocked since', () => {
  const own = policiesWith({ kind: 'risk', document: { rules: shipped }, partnerId: 7n })
  const blocked = policiesWith({ kind: 'countries', document: { blocked: ['FR'], watched: [] } })
  const asks = (of: typeof own, partnerId: bigint, country: string) =>
    watchesAll({ policies: of }, { partnerId, country }, now)
  assert.deepEqual(
    [asks(own, 7n, 'FR'), asks(own, 8n, 'FR'), asks(blocked, 8n, 'FR'), asks(blocked, 8n, 'DE')],
    [true, false, true, false],
  )
})
