import type { ReviewStatus, ScreeningHit } from '../../identity/provider.ts'

/**
 * From best to worst. `unknown` ranks above `medium`: we expect no better of a customer we know too little about than of one
 * with a finding, but a plain reason against somebody weighs more.
 */
export const riskLevels = ['low', 'medium', 'unknown', 'high', 'prohibited'] as const

/** Partners see the level, never the reasons. */
export type RiskLevel = (typeof riskLevels)[number]

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
}

type RiskCount = 'transactionsInDay' | 'transactionsInMonth' | 'eurInMonth' | 'chargebacks'
export type RiskTag = 'country' | 'kycStatus' | 'kycLevel' | 'kycExpired' | 'screening'

export type Condition = { fact: RiskCount; atLeast: bigint } | { fact: RiskTag; oneOf: readonly string[] }

/** Where all conditions hold, the level is at least this one. `sentence` is for the operator. */
export type RiskRule = { name: string; sentence: string; when: readonly Condition[]; level: RiskLevel }

/** Operators read the sentences. Names never change: decisions are stored with them. */
export const riskRules: readonly RiskRule[] = [
  {
    name: 'blocked-country',
    sentence: 'We do not serve customers in this country.',
    when: [{ fact: 'country', oneOf: ['blocked'] }],
    level: 'prohibited',
  },
  {
    name: 'sanctions-hit',
    sentence: 'The screening found the person on a sanctions list.',
    when: [{ fact: 'screening', oneOf: ['sanctions'] }],
    level: 'prohibited',
  },
  {
    name: 'screening-hit',
    sentence: 'The screening found a political office, adverse media, a crime or a watch list.',
    when: [{ fact: 'screening', oneOf: ['pep', 'adverse_media', 'crime', 'watchlist'] }],
    level: 'high',
  },
  {
    name: 'verification-rejected',
    sentence: 'The identity provider permanently rejected the person.',
    when: [{ fact: 'kycStatus', oneOf: ['rejected'] }],
    level: 'high',
  },
  {
    name: 'chargebacks',
    sentence: 'Two card payments or more were charged back.',
    when: [{ fact: 'chargebacks', atLeast: 2n }],
    level: 'high',
  },
  {
    name: 'very-many-in-a-day',
    sentence: '20 transactions or more in 24 hours.',
    when: [{ fact: 'transactionsInDay', atLeast: 20n }],
    level: 'high',
  },
  {
    name: 'very-much-in-a-month',
    sentence: '100,000 EUR or more in 30 days.',
    when: [{ fact: 'eurInMonth', atLeast: 100_000n }],
    level: 'high',
  },
  {
    name: 'not-verified',
    sentence: 'No identity verification has been completed.',
    when: [{ fact: 'kycStatus', oneOf: ['not_started', 'needs_info', 'in_review'] }],
    level: 'unknown',
  },
  {
    name: 'no-country',
    sentence: 'The country of the person is not known.',
    when: [{ fact: 'country', oneOf: ['unknown'] }],
    level: 'unknown',
  },
  {
    name: 'verification-expired',
    sentence: 'The documents of the verification have expired.',
    when: [{ fact: 'kycExpired', oneOf: ['yes'] }],
    level: 'medium',
  },
  {
    name: 'much-for-a-basic-verification',
    sentence: '15,000 EUR or more in 30 days, with less than a full verification.',
    when: [
      { fact: 'kycLevel', oneOf: ['none', 'basic'] },
      { fact: 'eurInMonth', atLeast: 15_000n },
    ],
    level: 'medium',
  },
  {
    name: 'chargeback',
    sentence: 'A card payment was charged back.',
    when: [{ fact: 'chargebacks', atLeast: 1n }],
    level: 'medium',
  },
  {
    name: 'many-in-a-day',
    sentence: '10 transactions or more in 24 hours.',
    when: [{ fact: 'transactionsInDay', atLeast: 10n }],
    level: 'medium',
  },
  {
    name: 'many-in-a-month',
    sentence: '100 transactions or more in 30 days.',
    when: [{ fact: 'transactionsInMonth', atLeast: 100n }],
    level: 'medium',
  },
  {
    name: 'watched-country',
    sentence: 'The country is on the list of jurisdictions under increased monitoring.',
    when: [{ fact: 'country', oneOf: ['watched'] }],
    level: 'medium',
  },
]
