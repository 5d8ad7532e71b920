import type { DocumentProblem, PolicyKind } from './kind.ts'
import { centsOf, decimal, duration, msOf, object } from './values.ts'

/** How thoroughly a customer was verified. */
const verificationLevels = ['unverified', 'basic', 'full'] as const
type VerificationLevel = (typeof verificationLevels)[number]

type LimitDocument = { period: string; currency: 'EUR'; max: string }

/** What a person may exchange in rolling periods. An empty list sets no limit. */
export type LimitsDocument = Readonly<Record<VerificationLevel, readonly LimitDocument[]>>

/** `max` in euro cents. */
export type PeriodLimit = { period: string; periodMs: number; max: bigint }
export type LimitRules = Readonly<Record<VerificationLevel, readonly PeriodLimit[]>>

const list = {
  type: 'array',
  maxItems: 10,
  items: object({ period: duration, currency: { enum: ['EUR'] }, max: decimal }),
}

/** What is counted is kept for a year at most. */
const longestMs = 366 * 86_400_000

const rulesOf = (limits: readonly LimitDocument[]): PeriodLimit[] =>
  limits.map(({ period, max }) => ({ period, periodMs: msOf(period), max: centsOf(max) }))

const read = ({ unverified, basic, full }: LimitsDocument): LimitRules => ({
  unverified: rulesOf(unverified),
  basic: rulesOf(basic),
  full: rulesOf(full),
})

/** A better verification must never lower a limit, and a longer period never allow less than a shorter one. */
function contradictions(document: LimitsDocument): DocumentProblem[] {
  const rules = read(document)
  const problems: DocumentProblem[] = []
  for (const level of verificationLevels) {
    rules[level].forEach((limit, at) => {
      const path = `${level}[${at}]`
      if (limit.periodMs <= 0 || limit.periodMs > longestMs) {
        problems.push({ path: `${path}.period`, message: 'must be longer than nothing and at most P366D' })
      }
      const shorter = rules[level].find((other) => other.periodMs < limit.periodMs && other.max > limit.max)
      if (shorter) problems.push({ path: `${path}.max`, message: `is less than what ${shorter.period} allows` })
      const twice = rules[level].findIndex((other) => other.periodMs === limit.periodMs) !== at
      if (twice) problems.push({ path: `${path}.period`, message: 'is there twice' })
    })
  }
  if (problems.length > 0) return problems
  const steps = [
    ['unverified', 'basic'],
    ['basic', 'full'],
  ] as const
  for (const [lower, higher] of steps) {
    rules[higher].forEach((limit, at) => {
      const allowed = mostWithin(limit.periodMs, rules[lower])
      if (allowed === undefined || allowed > limit.max) {
        problems.push({ path: `${higher}[${at}].max`, message: `is less than what ${lower} allows in ${limit.period}` })
      }
    })
  }
  return problems
}

/** The most that limits allow within a time; undefined: anything. */
function mostWithin(ms: number, limits: readonly PeriodLimit[]): bigint | undefined {
  const bounds = limits.map(({ periodMs, max }) => max * BigInt(Math.ceil(ms / periodMs)))
  return bounds.toSorted((one, other) => (one < other ? -1 : 1))[0]
}

const eur = (period: string, max: string): LimitDocument => ({ period, currency: 'EUR', max })

/** What a person may exchange, over everything that is known to belong to them. Our own figures, no law's. */
export const limits: PolicyKind<LimitsDocument, LimitRules> = {
  schema: object({ unverified: list, basic: list, full: list }),
  read,
  contradictions,
  warnings: (document) =>
    verificationLevels
      .filter((level) => document[level].length === 0)
      .map(
        (level) =>
          `${level} has no limit: everybody of that level may exchange any amount. To allow nothing, set a max of 0.`,
      ),
  shipped: () => ({
    unverified: [eur('P30D', '1000')],
    basic: [eur('P1D', '100000'), eur('P30D', '300000')],
    full: [eur('P1D', '250000'), eur('P30D', '1000000')],
  }),
}
