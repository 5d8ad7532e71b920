import { findCountry } from '../../reference/catalog/country.ts'
import { watchedCountries } from './data/watched-countries.ts'
import {
  type Condition,
  type RiskFacts,
  type RiskLevel,
  riskLevels,
  type RiskRule,
  riskRules,
  type RiskTag,
} from './risk-rules.ts'

/** A level, and the names of all rules that apply, the worst first. */
export type Risk = { level: RiskLevel; because: string[] }

const severity = (level: RiskLevel): number => riskLevels.indexOf(level)

/**
 * Assesses a customer. The level is the worst of the rules that apply, `low` where none does. The same facts and rules always
 * give the same level, whatever their order; a worse fact never gives a better level.
 */
export function riskOf(facts: RiskFacts, rules: readonly RiskRule[] = riskRules): Risk {
  const tags = tagsOf(facts)
  const holds = (condition: Condition): boolean =>
    'atLeast' in condition
      ? facts[condition.fact] >= condition.atLeast
      : tags[condition.fact].some((tag) => condition.oneOf.includes(tag))
  const applied = rules
    .filter(({ when }) => when.every(holds))
    .toSorted((one, other) => severity(other.level) - severity(one.level) || (one.name < other.name ? -1 : 1))
  return { level: applied[0]?.level ?? 'low', because: applied.map(({ name }) => name) }
}

const tagsOf = ({
  country,
  kycStatus,
  kycLevel,
  kycExpired,
  screening,
}: RiskFacts): Record<RiskTag, readonly string[]> => ({
  country: [countryTag(country)],
  kycStatus: [kycStatus],
  kycLevel: [kycLevel],
  kycExpired: [kycExpired ? 'yes' : 'no'],
  screening,
})

function countryTag(text: string): 'ordinary' | 'watched' | 'unknown' | 'blocked' {
  const country = findCountry(text)
  if (!country) return 'unknown'
  if (!country.supported) return 'blocked'
  return watchedCountries.has(country.alpha2) ? 'watched' : 'ordinary'
}
