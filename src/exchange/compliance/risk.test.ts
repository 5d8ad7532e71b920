import assert from 'node:assert/strict'
import { test } from 'node:test'

import fc from 'fast-check'

import { table } from '../../../test/support/table.ts'
import type { ReviewStatus, ScreeningHit } from '../../identity/provider.ts'
import { riskOf } from './risk.ts'
import { type RiskFacts, riskLevels, riskRules } from './risk-rules.ts'

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
})

const badness = (facts: RiskFacts): number => riskLevels.indexOf(riskOf(facts).level)
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
  }
}

test('each rule leads to its level, and is named', () => {
  assert.deepEqual(riskOf(best), { level: 'low', because: [] })
  const changes: Record<string, Partial<RiskFacts>> = {
    'blocked-country': { country: 'ru' },
    'sanctions-hit': { screening: ['sanctions'] },
    'screening-hit': { screening: ['crime'] },
    'verification-rejected': { kycStatus: 'rejected' },
    chargebacks: { chargebacks: 2n },
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
  assert.deepEqual(Object.keys(changes).toSorted(), riskRules.map(({ name }) => name).toSorted())
  for (const { name, level } of riskRules) {
    const risk = riskOf({ ...best, ...changes[name] })
    assert.equal(risk.level, level, name)
    assert.equal(risk.because[0], name)
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
    assert.equal(riskOf({ ...best, [fact]: BigInt(count) }).level, 'low', fact)
  }
  assert.equal(riskOf({ ...best, kycLevel: 'basic', eurInMonth: 14_999n }).level, 'low')
})

test('several reasons are all named, the worst first', () => {
  const risk = riskOf({ ...best, country: 'VN', screening: ['pep', 'sanctions'], kycExpired: true })
  assert.deepEqual(risk, {
    level: 'prohibited',
    because: ['sanctions-hit', 'screening-hit', 'verification-expired', 'watched-country'],
  })
})

test('the order of rules and facts changes nothing', () => {
  fc.assert(
    fc.property(anyFacts, fc.shuffledSubarray([...riskRules], { minLength: riskRules.length }), (facts, rules) => {
      const turned = Object.fromEntries(Object.entries(facts).toReversed()) as RiskFacts
      const { screening } = facts
      assert.deepEqual(riskOf({ ...turned, screening: screening.toReversed() }, rules), riskOf(facts))
    }),
  )
})

test('a worse fact never gives a better level', () => {
  fc.assert(
    fc.property(anyFacts, anyFacts, (one, other) => {
      const worse = worstOf(one, other)
      assert.ok(badness(worse) >= badness(one), `${riskOf(one).level} became ${riskOf(worse).level}`)
      assert.ok(badness(worse) >= badness(other))
    }),
    { numRuns: 1_000 },
  )
})

test('every rule has a unique name and a sentence', () => {
  assert.equal(new Set(riskRules.map(({ name }) => name)).size, riskRules.length)
  for (const { sentence } of riskRules) assert.match(sentence, /^.{10,}\.$/)
})
