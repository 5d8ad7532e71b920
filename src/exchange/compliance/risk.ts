import { findCountry } from '../../reference/catalog/country.ts'
import { riskRules } from './data/risk-rules.ts'
import { watchedCountries } from './data/watched-countries.ts'
import type { ReviewStatus, ScreeningHit } from '../../identity/provider.ts'

/**
 * Levels from good to bad. `unknown` stands above `medium`: of whom we know too little we expect no better than of those
 * about whom something was found, but a plain reason against somebody weighs more.
 */
export const riskLevels = ['low', 'medium', 'unknown', 'high', 'prohibited'] as const

/** How risky a customer is. Partners see this word, and never the reasons. */
export type RiskLevel = (typeof riskLevels)[number]

/** What is known of a customer. */
export type RiskFacts = {
  /** Alpha-2 code; empty when not known. */
  country: string
  kycStatus: ReviewStatus
  /** How thorough the verification was: of nothing, of the person, of the person and where they live. */
  kycLevel: 'none' | 'basic' | 'full'
  kycExpired: boolean
  screening: readonly ScreeningHit[]
  /** Of this customer, begun in the last 24 hours and in the last 30 days. */
  transactionsInDay: bigint
  transactionsInMonth: bigint
  /** Whole euros that came in during the last 30 days. */
  eurInMonth: bigint
  chargebacks: bigint
}

type Count = 'transactionsInDay' | 'transactionsInMonth' | 'eurInMonth' | 'chargebacks'
type Word = 'country' | 'kycStatus' | 'kycLevel' | 'kycExpired' | 'screening'

/** One thing that must be so. Counts have a least, everything else a list of words of which one is enough. */
export type Condition = { fact: Count; atLeast: bigint } | { fact: Word; oneOf: readonly string[] }

/** A rule: where all its conditions hold, the level is at least this one. `sentence` is for the operator. */
export type RiskRule = { name: string; sentence: string; when: readonly Condition[]; level: RiskLevel }

/** A level, and the names of all the rules that hold, the worst first. */
export type Risk = { level: RiskLevel; because: string[] }

export { riskRules }

const badness = (level: RiskLevel): number => riskLevels.indexOf(level)

/**
 * Judges what is known of a customer. The level is the worst of the rules that hold, `low` where none does. The same facts
 * and rules always give the same answer, whatever their order; a worse fact never gives a better level.
 */
export function riskOf(facts: RiskFacts, rules: readonly RiskRule[] = riskRules): Risk {
  const words = wordsOf(facts)
  const holds = (condition: Condition): boolean =>
    'atLeast' in condition
      ? facts[condition.fact] >= condition.atLeast
      : words[condition.fact].some((word) => condition.oneOf.includes(word))
  const held = rules
    .filter(({ when }) => when.every(holds))
    .toSorted((one, other) => badness(other.level) - badness(one.level) || (one.name < other.name ? -1 : 1))
  return { level: held[0]?.level ?? 'low', because: held.map(({ name }) => name) }
}

const wordsOf = ({
  country,
  kycStatus,
  kycLevel,
  kycExpired,
  screening,
}: RiskFacts): Record<Word, readonly string[]> => ({
  country: [countryWord(country)],
  kycStatus: [kycStatus],
  kycLevel: [kycLevel],
  kycExpired: [kycExpired ? 'yes' : 'no'],
  screening,
})

function countryWord(text: string): 'ordinary' | 'watched' | 'unknown' | 'blocked' {
  const country = findCountry(text)
  if (!country) return 'unknown'
  if (!country.supported) return 'blocked'
  return watchedCountries.has(country.alpha2) ? 'watched' : 'ordinary'
}
