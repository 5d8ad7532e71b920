import type { RiskRule } from '../risk.ts'

/** The rules of risk. An operator reads the sentences; names stay the same, because decisions are stored with them. */
export const riskRules: readonly RiskRule[] = [
  {
    name: 'blocked-country',
    sentence: 'Nobody is served in this country.',
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
    sentence: 'The identity provider rejected the person for good.',
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
    sentence: 'No verification of the person has ended.',
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
