import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { policies } from '../../../test/support/policies.ts'
import { table } from '../../../test/support/table.ts'
import type { ValidityRules } from '../policies/validity.ts'
import { payDeadlineMs, priceValidityMs } from './policy.ts'

const { rules: shipped } = policies.at(new Date(0), 'validity')
const rulesWith = (days: number): ValidityRules => ({ ...shipped, bank: { priceMs: 0, payBusinessDays: days } })

const end = (rules: ValidityRules, from: number): number =>
  from + payDeadlineMs(rules, { category: 'SEPA', kind: 'retail' }, new Date(from))

const spans = table(`
  days  from              until
  1     2026-03-02T10:00  2026-03-03T10:00
  1     2026-03-06T23:00  2026-03-09T23:00
  1     2026-03-07T01:00  2026-03-10T00:00
  1     2026-03-08T23:59  2026-03-10T00:00
  1     2026-03-09T00:00  2026-03-10T00:00
  5     2026-03-04T12:30  2026-03-11T12:30
  5     2026-03-07T01:00  2026-03-16T00:00
  10    2026-03-02T10:00  2026-03-16T10:00
`)

test('a bank has whole business days, and what begins in a weekend begins with the Monday after it', () => {
  for (const { days, from, until } of spans) {
    const ends = end(rulesWith(Number(days)), Date.parse(`${from}Z`))
    assert.equal(new Date(ends).toISOString(), `${until}:00.000Z`, `${days} from ${from}`)
  }
})

test('a bank payment that begins later never has an earlier deadline', () => {
  const moment = fc.integer({ min: Date.parse('2026-01-01T00:00Z'), max: Date.parse('2026-03-01T00:00Z') })
  const config = [1, 2, 3, 5, 11].map(rulesWith)
  const which = fc.nat(config.length - 1)
  fc.assert(
    fc.property(moment, fc.integer({ min: 0, max: 8 * 86_400_000 }), which, (from, later, index) => {
      const policy = config[index] ?? assert.fail()
      const [one, other] = [end(policy, from), end(policy, from + later)]
      assert.ok(one <= other, `${new Date(from).toISOString()} and ${later} ms later`)
      assert.ok(one > from)
    }),
    { numRuns: 2_000 },
  )
})

test('prices and orders live as long as ships, an institution that pays in coins has 30 seconds', () => {
  const minute = 60_000
  const rows = [
    ['VISA_MC', 'retail', 15 * minute, 30 * minute],
    ['CRYPTO', 'retail', 20 * minute, 24 * 60 * minute],
    ['CRYPTO', 'b2b', minute / 2, 24 * 60 * minute],
    ['SEPA', 'b2b', 0, 7 * 24 * 60 * minute],
  ] as const
  const monday = new Date('2026-03-02T10:00Z')
  for (const [category, kind, price, pay] of rows) {
    assert.equal(priceValidityMs(shipped, { category, kind }), price, `${category} ${kind}`)
    assert.equal(payDeadlineMs(shipped, { category, kind }, monday), pay, `${category} ${kind}`)
  }
})
