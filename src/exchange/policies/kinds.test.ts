import assert from 'node:assert/strict'
import { test } from 'node:test'

import { environmentOf } from '../../app/config/environment.ts'
import { completeDocument, kindNames, policyKinds, rulesOf, warningsOf } from './kinds.ts'
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

test('a transfer from somebody else than the customer waits for staff in live mode, and is only compared in the sandbox', () => {
  const rules = environments.map((one) => shippedPolicies(one).at(new Date(), 'payers').rules)
  assert.deepEqual(rules, [
    { mismatch: 'accept', leastThousandths: 800, payee: 'warn' },
    { mismatch: 'hold', leastThousandths: 800, payee: 'hold' },
  ])
})

test('a range of retail exchanges alone is a whole document: what it leaves out is as shipped', () => {
  const retail = { least: { EUR: '10' }, most: { EUR: '50000' } }
  const rest = {
    swap: { most: { EUR: '100000' } },
    b2b: { least: { EUR: '1000' }, most: { EUR: '1000000' }, swap: { most: { EUR: '2000000' } } },
  }
  assert.deepEqual(completeDocument('ranges', retail), { ...retail, ...rest })
  assert.deepEqual(completeDocument('ranges', { ...retail, swap: { most: { EUR: '60' } } }), {
    ...retail,
    ...rest,
    swap: { most: { EUR: '60' } },
  })
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
