import type { ReviewStatus, ScreeningHit } from '../../identity/provider.ts'
import { findCountry } from '../../reference/catalog/country.ts'
import type { CountryRules } from '../policies/countries.ts'
import {
  type Condition,
  type RiskCount,
  type RiskLevel,
  riskLevels,
  type RiskRule,
  type RiskTag,
} from '../policies/risk.ts'

/** What is known of a customer. */
export type RiskFacts = {
  /** Alpha-2 code; empty when not known. */
  country: string
  kycStatus: ReviewStatus
  /** What was verified: nothing, the person, or the person and their address. */
  kycLevel: 'none' | 'basic' | 'full'
  kycExpired: boolean
  screening: readonly ScreeningHit[]
  /** Transactions of this customer in the last 24 hours and in the last 30 days. */
  transactionsInDay: bigint
  transactionsInMonth: bigint
  /** Whole euros that came in during the last 30 days. */
  eurInMonth: bigint
  chargebacks: bigint
  /** How many customers, this one included, have had coins paid to an address of this one's. */
  customersAtAddress: bigint
  /** Of the order under review, else of the latest payment; absent where no rule reads them. */
  payments?: PaymentFacts
}

/** What processors and banks said of a customer's payments. */
export type PaymentFacts = {
  avs: 'match' | 'mismatch' | 'unchecked'
  cvc: 'match' | 'mismatch' | 'unchecked'
  threeDSecure: 'authenticated' | 'attempted' | 'failed' | 'not_used' | 'unknown'
  /** Of the card's bank, compared with the customer's. */
  cardCountry: 'same' | 'different' | 'unknown'
  payer: 'match' | 'other' | 'unknown'
  /** Payments by one card or bank account of the customer, by all who have used it: the most used one. */
  byCardInDay: bigint
  byAccountInMonth: bigint
}

const noPayments: PaymentFacts = {
  avs: 'unchecked',
  cvc: 'unchecked',
  threeDSecure: 'unknown',
  cardCountry: 'unknown',
  payer: 'unknown',
  byCardInDay: 0n,
  byAccountInMonth: 0n,
}

/** A level, and all rules that apply, the worst first. */
export type Risk = { level: RiskLevel; because: AppliedRule[] }

export type AppliedRule = Pick<RiskRule, 'name' | 'sentence' | 'level'>

/** The policies that risk is assessed by. */
export type RiskPolicies = {
  rules: readonly RiskRule[]
  countries: CountryRules
  /** The level of each kind of screening hit. */
  hits: ReadonlyMap<string, RiskLevel>
}

const severity = (level: RiskLevel): number => riskLevels.indexOf(level)

/**
 * Assesses a customer. The level is the worst of the rules that apply, `low` where none does. The same facts and rules always
 * give the same level, whatever their order; with rules that do not contradict each other a worse fact never gives a better one.
 */
export function riskOf(facts: RiskFacts, { rules, countries, hits }: RiskPolicies): Risk {
  const tags = tagsOf(facts, countries)
  const counts = countsOf(facts)
  const holds = (condition: Condition): boolean =>
    'atLeast' in condition
      ? counts[condition.fact] >= condition.atLeast
      : condition.oneOf.includes(tags[condition.fact])
  const because = [...rules.filter(({ when }) => when.every(holds)), ...screeningRules(facts, hits)]
    .map(({ name, sentence, level }) => ({ name, sentence, level }))
    .toSorted((one, other) => severity(other.level) - severity(one.level) || (one.name < other.name ? -1 : 1))
  return { level: because[0]?.level ?? 'low', because }
}

/** A sanctions list counts by itself; of all other hits the worst does. */
function screeningRules({ screening }: RiskFacts, hits: ReadonlyMap<string, RiskLevel>): AppliedRule[] {
  const levelOf = (hit: ScreeningHit): RiskLevel => hits.get(hit) ?? 'high'
  const others = screening.filter((hit) => hit !== 'sanctions').map(levelOf)
  const worst = others.toSorted((one, other) => severity(other) - severity(one))[0]
  const found: AppliedRule[] = []
  if (screening.includes('sanctions')) {
    const sentence = 'The screening found the person on a sanctions list.'
    found.push({ name: 'sanctions-hit', sentence, level: levelOf('sanctions') })
  }
  if (worst !== undefined) {
    const sentence = 'The screening found a political office, adverse media, a crime or a watch list.'
    found.push({ name: 'screening-hit', sentence, level: worst })
  }
  return found
}

const countsOf = (facts: RiskFacts): Record<RiskCount, bigint> => ({
  transactions_in_day: facts.transactionsInDay,
  transactions_in_month: facts.transactionsInMonth,
  eur_in_month: facts.eurInMonth,
  chargebacks: facts.chargebacks,
  customers_at_address: facts.customersAtAddress,
  payments_by_card_in_day: facts.payments?.byCardInDay ?? 0n,
  payments_by_account_in_month: facts.payments?.byAccountInMonth ?? 0n,
})

const tagsOf = (
  { country, kycStatus, kycLevel, kycExpired, payments = noPayments }: RiskFacts,
  countries: CountryRules,
) =>
  ({
    country: countryTag(country, countries),
    kyc_status: kycStatus,
    kyc_level: kycLevel,
    kyc_expired: kycExpired ? 'yes' : 'no',
    avs: payments.avs,
    cvc: payments.cvc,
    three_d_secure: payments.threeDSecure,
    card_country: payments.cardCountry,
    payer: payments.payer,
  }) satisfies Record<RiskTag, string>

function countryTag(text: string, { blocked, watched }: CountryRules): 'ordinary' | 'watched' | 'unknown' | 'blocked' {
  const country = findCountry(text)
  if (!country) return 'unknown'
  if (blocked.has(country.alpha2)) return 'blocked'
  return watched.has(country.alpha2) ? 'watched' : 'ordinary'
}
