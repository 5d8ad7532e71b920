import assert from 'node:assert/strict'
import { test } from 'node:test'

import { environmentOf } from '../../app/config/environment.ts'
import { kindNames, policyKinds, rulesOf, warningsOf } from './kinds.ts'
import { shippedPolicies } from './policies.ts'

const environments = (['sandbox', 'live'] as const).map(environmentOf)

test('what ships does not contradict itself', () => {
  for (const environment of environments) {
    for (const kind of kindNames) {
      const { shipped, contradictions } = policyKinds[kind]
      const find: (document: never) => unknown = contradictions
      assert.deepEqual(find(shipped(environment) as never), [], kind)
      assert.ok(rulesOf(kind, shipped(environment)))
    }
  }
})

test('an unverified person may exchange at most 1,000 EUR in 30 days', () => {
  const { unverified } = shippedPolicies(environmentOf('live')).at(new Date(), 'limits').rules
  assert.deepEqual(unverified, [{ period: 'P30D', periodMs: 30 * 86_400_000, max: 1_000_00n }])
})

test('in live mode a second operator approves a policy', () => {
  const needsTwo = environments.map((one) => shippedPolicies(one).at(new Date(), 'approvals').rules.policiesNeedTwo)
  assert.deepEqual(needsTwo, [false, true])
})

test('a level of customers without a limit warns, and a limit of nothing does not', () => {
  const document = { unverified: [], basic: [], full: [] }
  assert.deepEqual(
    warningsOf('limits', document).map((line) => line.split(' ')[0]),
    ['unverified', 'basic', 'full'],
  )
  const [limit] = shippedPolicies(environmentOf('live')).at(new Date(), 'limits').rules.unverified
  assert.ok(limit)
  const nothing = [{ period: limit.period, currency: 'EUR', max: '0' }]
  assert.deepEqual(warningsOf('limits', { unverified: nothing, basic: nothing, full: nothing }), [])
})
