import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import type { ReviewStatus, ScreeningHit } from '../../identity/provider.ts'
import { environmentOf } from '../../app/config/environment.ts'
import { shippedPolicies } from '../policies/policies.ts'
import { riskLevels } from '../policies/risk.ts'
import { type RiskFacts, riskOf, type RiskPolicies } from './risk.ts'

const policies = shippedPolicies(environmentOf('live'))
const shipped: RiskPolicies = {
  rules: policies.at(new Date(), 'risk').rules,
  countries: policies.at(new Date(), 'countries').rules,
  hits: policies.at(new Date(), 'screening').rules.hits,
}
const namesOf = (facts: RiskFacts): string[] => riskOf(facts, shipped).because.map(({ name }) => name)

const best: RiskFacts = {
  country: 'DE',
  kycStatus: 'approved',
  kycLevel: 'full',
  kycExpired: false,
  screening: [],
  transactionsInDay: 1n,
  transactionsInMonth: 5n,
  eurInMonth: 900n,
  chargebacks: 0n,
  customersAtAddress: 1n,
}

/** The tags of each fact, from best to worst; tags in one group are equally bad. */
const statuses: ReviewStatus[][] = [['approved'], ['not_started', 'needs_info', 'in_review'], ['rejected']]
const levels: RiskFacts['kycLevel'][] = ['full', 'basic', 'none']
const countries = ['DE', 'NG', 'VN', '', 'RU']
const hits: ScreeningHit[] = ['pep', 'adverse_media', 'crime', 'watchlist', 'sanctions']

const anyFacts: fc.Arbitrary<RiskFacts> = fc.record({
  country: fc.constantFrom(...countries),
  kycStatus: fc.constantFrom(...statuses.flat()),
  kycLevel: fc.constantFrom(...levels),
  kycExpired: fc.boolean(),
  screening: fc.subarray(hits),
  transactionsInDay: fc.bigInt(0n, 40n),
  transactionsInMonth: fc.bigInt(0n, 200n),
  eurInMonth: fc.bigInt(0n, 200_000n),
  chargebacks: fc.bigInt(0n, 4n),
  customersAtAddress: fc.bigInt(0n, 6n),
})

const badness = (facts: RiskFacts): number => riskLevels.indexOf(riskOf(facts, shipped).level)
const statusRank = (status: ReviewStatus): number => statuses.findIndex((group) => group.includes(status))

/** The worse of two customers in everything. */
const worstOf = (one: RiskFacts, other: RiskFacts): RiskFacts => {
  const most = (a: bigint, b: bigint) => (a > b ? a : b)
  const last = <T>(order: T[], a: T, b: T) => (order.indexOf(a) > order.indexOf(b) ? a : b)
  return {
    country: last(['DE', 'NG', 'VN', '', 'RU'], one.country, other.country),
    kycStatus: statusRank(one.kycStatus) > statusRank(other.kycStatus) ? one.kycStatus : other.kycStatus,
    kycLevel: last(levels, one.kycLevel, other.kycLevel),
    kycExpired: one.kycExpired || other.kycExpired,
    screening: [...new Set([...one.screening, ...other.screening])],
    transactionsInDay: most(one.transactionsInDay, other.transactionsInDay),
    transactionsInMonth: most(one.transactionsInMonth, other.transactionsInMonth),
    eurInMonth: most(one.eurInMonth, other.eurInMonth),
    chargebacks: most(one.chargebacks, other.chargebacks),
    customersAtAddress: most(one.customersAtAddress, other.customersAtAddress),
  }
}

test('each rule leads to its level, and is named', () => {
  assert.deepEqual(riskOf(best, shipped), { level: 'low', because: [] })
  const changes: Record<string, Partial<RiskFacts>> = {
    'blocked-country': { country: 'ru' },
    'sanctions-hit': { screening: ['sanctions'] },
    'screening-hit': { screening: ['crime'] },
    'verification-rejected': { kycStatus: 'rejected' },
    chargebacks: { chargebacks: 2n },
    'shared-address': { customersAtAddress: 4n },
    'very-many-in-a-day': { transactionsInDay: 20n },
    'very-much-in-a-month': { eurInMonth: 100_000n },
    'not-verified': { kycStatus: 'in_review' },
    'no-country': { country: 'ZZ' },
    'verification-expired': { kycExpired: true },
    'much-for-a-basic-verification': { kycLevel: 'basic', eurInMonth: 15_000n },
    chargeback: { chargebacks: 1n },
    'many-in-a-day': { transactionsInDay: 10n },
    'many-in-a-month': { transactionsInMonth: 100n },
    'watched-country': { country: 'VN' },
  }
  const names = [...shipped.rules.map(({ name }) => name), 'sanctions-hit', 'screening-hit']
  assert.deepEqual(Object.keys(changes).toSorted(), names.toSorted())
  for (const name of names) {
    const risk = riskOf({ ...best, ...changes[name] }, shipped)
    assert.equal(risk.because[0]?.name, name)
    assert.equal(risk.level, shipped.rules.find((rule) => rule.name === name)?.level ?? risk.because[0]?.level, name)
  }
})

test('one below a limit is not over it', () => {
  const rows = table(`
    fact                 count
    transactionsInDay    9
    transactionsInMonth  99
    eurInMonth           99999
    chargebacks          0
  `)
  for (const { fact = '', count = '' } of rows) {
    assert.equal(riskOf({ ...best, [fact]: BigInt(count) }, shipped).level, 'low', fact)
  }
  assert.equal(riskOf({ ...best, kycLevel: 'basic', eurInMonth: 14_999n }, shipped).level, 'low')
})

test('several reasons are all named, the worst first', () => {
  const facts: RiskFacts = { ...best, country: 'VN', screening: ['pep', 'sanctions'], kycExpired: true }
  assert.equal(riskOf(facts, shipped).level, 'prohibited')
  assert.deepEqual(namesOf(facts), ['sanctions-hit', 'screening-hit', 'verification-expired', 'watched-country'])
})

test('the order of rules and facts changes nothing', () => {
  fc.assert(
    fc.property(
      anyFacts,
      fc.shuffledSubarray([...shipped.rules], { minLength: shipped.rules.length }),
      (facts, rules) => {
        const turned = Object.fromEntries(Object.entries(facts).toReversed()) as RiskFacts
        const { screening } = facts
        assert.deepEqual(
          riskOf({ ...turned, screening: screening.toReversed() }, { ...shipped, rules }),
          riskOf(facts, shipped),
        )
      },
    ),
  )
})

test('a worse fact never gives a better level', () => {
  fc.assert(
    fc.property(anyFacts, anyFacts, (one, other) => {
      const worse = worstOf(one, other)
      assert.ok(badness(worse) >= badness(one), `${riskOf(one, shipped).level} became ${riskOf(worse, shipped).level}`)
      assert.ok(badness(worse) >= badness(other))
    }),
    { numRuns: 1_000 },
  )
})
