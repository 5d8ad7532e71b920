import type { DocumentProblem, PolicyKind } from './kind.ts'
import { object } from './values.ts'

/**
 * From best to worst. `unknown` ranks above `medium`: we expect no better of a customer we know too little about than of one
 * with a finding, but a plain reason against somebody weighs more.
 */
export const riskLevels = ['low', 'medium', 'unknown', 'high', 'prohibited'] as const

/** Partners see the level, never the reasons. */
export type RiskLevel = (typeof riskLevels)[number]

const counts = [
  'transactions_in_day',
  'transactions_in_month',
  'eur_in_month',
  'chargebacks',
  'customers_at_address',
  'payments_by_card_in_day',
  'payments_by_account_in_month',
] as const
export type RiskCount = (typeof counts)[number]

/** What may be said of a customer, by fact. */
const tags = {
  country: ['ordinary', 'watched', 'unknown', 'blocked'],
  kyc_status: ['not_started', 'needs_info', 'in_review', 'approved', 'rejected'],
  kyc_level: ['none', 'basic', 'full'],
  kyc_expired: ['yes', 'no'],
  avs: ['match', 'mismatch', 'unchecked'],
  cvc: ['match', 'mismatch', 'unchecked'],
  three_d_secure: ['authenticated', 'attempted', 'failed', 'not_used', 'unknown'],
  card_country: ['same', 'different', 'unknown'],
  payer: ['match', 'other', 'unknown'],
} as const
export type RiskTag = keyof typeof tags

/** Facts of payments: nothing else is looked up for rules without them. */
const ofPayments: ReadonlySet<string> = new Set<RiskCount | RiskTag>([
  'payments_by_card_in_day',
  'payments_by_account_in_month',
  'avs',
  'cvc',
  'three_d_secure',
  'card_country',
  'payer',
])

/** Whether a condition reads what is known of payments: by a card or a bank account. */
export const readsPayments = ({ fact }: Condition): boolean => ofPayments.has(fact)

type ConditionDocument = { fact: RiskCount; at_least: number } | { fact: RiskTag; one_of: readonly string[] }

/** Where all conditions hold, the level is at least this one. `sentence` is for the operator. `off` rules are kept, not applied. */
type RuleDocument = {
  name: string
  sentence: string
  when: readonly ConditionDocument[]
  level: RiskLevel
  off?: boolean
}

export type RiskDocument = { rules: readonly RuleDocument[] }

export type Condition = { fact: RiskCount; atLeast: bigint } | { fact: RiskTag; oneOf: readonly string[] }
export type RiskRule = { name: string; sentence: string; when: readonly Condition[]; level: RiskLevel }

const condition = {
  anyOf: [
    object({ fact: { enum: counts }, at_least: { type: 'integer', minimum: 1, maximum: 1_000_000_000 } }),
    ...Object.entries(tags).map(([fact, values]) =>
      object({
        fact: { const: fact },
        one_of: { type: 'array', minItems: 1, uniqueItems: true, items: { enum: values } },
      }),
    ),
  ],
}

const rule = object(
  {
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]{1,59}$' },
    sentence: { type: 'string', minLength: 10, maxLength: 300 },
    when: { type: 'array', minItems: 1, maxItems: 10, items: condition },
    level: { enum: riskLevels },
    off: { type: 'boolean' },
  },
  ['off'],
)

const read = ({ rules }: RiskDocument): readonly RiskRule[] =>
  rules
    .filter(({ off }) => off !== true)
    .map(({ name, sentence, when, level }) => ({
      name,
      sentence,
      level,
      when: when.map((one) =>
        'at_least' in one ? { fact: one.fact, atLeast: BigInt(one.at_least) } : { fact: one.fact, oneOf: one.one_of },
      ),
    }))

/** A greater count must never give a better level: of two rules on one count alone, the higher bound has no lower level. */
function contradictions({ rules }: RiskDocument): DocumentProblem[] {
  const problems: DocumentProblem[] = []
  rules.forEach(({ name, when, level }, at) => {
    if (rules.findIndex((other) => other.name === name) !== at) {
      problems.push({ path: `rules[${at}].name`, message: `${name} names two rules` })
    }
    const [only, another] = when
    if (!only || another || !('at_least' in only)) return
    const milder = rules.find(({ when: [one, more], level: other }) => {
      const isAlike = one && !more && 'at_least' in one && one.fact === only.fact && one.at_least > only.at_least
      return isAlike && riskLevels.indexOf(other) < riskLevels.indexOf(level)
    })
    if (milder)
      problems.push({
        path: `rules[${at}].level`,
        message: `is worse than that of ${milder.name}, which asks for more`,
      })
  })
  return problems
}

/**
 * Rules about payments, off as shipped: how much of it is usual depends on the processor and the market, and while one is on, each
 * payment takes a few statements more.
 */
const paymentRules: Omit<RuleDocument, 'level' | 'off'>[] = [
  {
    name: 'card-code-mismatch',
    sentence: 'The code of the card did not match.',
    when: [{ fact: 'cvc', one_of: ['mismatch'] }],
  },
  {
    name: 'card-address-mismatch',
    sentence: 'The address did not match that of the card.',
    when: [{ fact: 'avs', one_of: ['mismatch'] }],
  },
  {
    name: 'card-not-authenticated',
    sentence: '3-D Secure failed for the card.',
    when: [{ fact: 'three_d_secure', one_of: ['failed'] }],
  },
  {
    name: 'card-of-another-country',
    sentence: 'The bank of the card is in another country than the customer.',
    when: [{ fact: 'card_country', one_of: ['different'] }],
  },
  {
    name: 'card-used-often',
    sentence: 'Five payments or more by one card in 24 hours.',
    when: [{ fact: 'payments_by_card_in_day', at_least: 5 }],
  },
  {
    name: 'account-used-often',
    sentence: '20 payments or more from one bank account in 30 days.',
    when: [{ fact: 'payments_by_account_in_month', at_least: 20 }],
  },
  {
    name: 'paid-by-another',
    sentence: 'Somebody else than the customer paid by bank.',
    when: [{ fact: 'payer', one_of: ['other'] }],
  },
]

/** Operators read the sentences. Names never change: decisions are stored with them. */
const shippedRules: RiskDocument['rules'] = [
  {
    name: 'blocked-country',
    sentence: 'We do not serve customers in this country.',
    when: [{ fact: 'country', one_of: ['blocked'] }],
    level: 'prohibited',
  },
  {
    name: 'verification-rejected',
    sentence: 'The identity provider permanently rejected the person.',
    when: [{ fact: 'kyc_status', one_of: ['rejected'] }],
    level: 'high',
  },
  {
    name: 'chargebacks',
    sentence: 'Two card payments or more were charged back.',
    when: [{ fact: 'chargebacks', at_least: 2 }],
    level: 'high',
  },
  {
    name: 'shared-address',
    sentence: 'Four customers or more have had coins paid to the same address and memo.',
    when: [{ fact: 'customers_at_address', at_least: 4 }],
    level: 'high',
  },
  {
    name: 'very-many-in-a-day',
    sentence: '20 transactions or more in 24 hours.',
    when: [{ fact: 'transactions_in_day', at_least: 20 }],
    level: 'high',
  },
  {
    name: 'very-much-in-a-month',
    sentence: '100,000 EUR or more in 30 days.',
    when: [{ fact: 'eur_in_month', at_least: 100_000 }],
    level: 'high',
  },
  {
    name: 'not-verified',
    sentence: 'No identity verification has been completed.',
    when: [{ fact: 'kyc_status', one_of: ['not_started', 'needs_info', 'in_review'] }],
    level: 'unknown',
  },
  {
    name: 'no-country',
    sentence: 'The country of the person is not known.',
    when: [{ fact: 'country', one_of: ['unknown'] }],
    level: 'unknown',
  },
  {
    name: 'verification-expired',
    sentence: 'The documents of the verification have expired.',
    when: [{ fact: 'kyc_expired', one_of: ['yes'] }],
    level: 'medium',
  },
  {
    name: 'much-for-a-basic-verification',
    sentence: '15,000 EUR or more in 30 days, with less than a full verification.',
    when: [
      { fact: 'kyc_level', one_of: ['none', 'basic'] },
      { fact: 'eur_in_month', at_least: 15_000 },
    ],
    level: 'medium',
  },
  {
    name: 'chargeback',
    sentence: 'A card payment was charged back.',
    when: [{ fact: 'chargebacks', at_least: 1 }],
    level: 'medium',
  },
  {
    name: 'many-in-a-day',
    sentence: '10 transactions or more in 24 hours.',
    when: [{ fact: 'transactions_in_day', at_least: 10 }],
    level: 'medium',
  },
  {
    name: 'many-in-a-month',
    sentence: '100 transactions or more in 30 days.',
    when: [{ fact: 'transactions_in_month', at_least: 100 }],
    level: 'medium',
  },
  {
    name: 'watched-country',
    sentence: 'The country is on the list of jurisdictions under increased monitoring.',
    when: [{ fact: 'country', one_of: ['watched'] }],
    level: 'medium',
  },
  ...paymentRules.map((one) => ({ ...one, level: 'high' as const, off: true })),
]

export const risk: PolicyKind<RiskDocument, readonly RiskRule[]> = {
  schema: object({ rules: { type: 'array', maxItems: 100, items: rule } }),
  read,
  contradictions,
  shipped: ({ demandsSafeguards }) => ({
    // Everybody in a sandbox pays coins to the same few addresses of an example.
    rules: shippedRules.map((one) =>
      one.name === 'shared-address' && !demandsSafeguards ? { ...one, off: true } : one,
    ),
  }),
}
