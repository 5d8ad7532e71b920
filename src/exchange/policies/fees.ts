import type { DocumentProblem, PolicyKind } from './kind.ts'
import { type FeeRules, type FeesDocument, pointsOf, read, schema, sides } from './price-list.ts'
import { centsOf } from './values.ts'

export type { Cost, FeeRules, FeesDocument } from './price-list.ts'

/** The most that a service fee, a method's fee and a spread may each be. */
const mostBasisPoints = 2_000

/** The most that all fees may take together, next to the greatest commission: pricing refuses, as a fault, more than half. */
const mostTogether = 3_000

/** The greatest least service fee. */
const mostMinimumCents = 1_000_00n

/** The most that a method's fee may be besides its share. */
const mostFixedCents = 100_00n

export const mustNotBeNegative = 'must not be negative'

function contradictions(document: FeesDocument): DocumentProblem[] {
  const problems: DocumentProblem[] = []
  const look = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) look(path === '' ? name : `${path}.${name}`, member)
    } else if (typeof value === 'string' && value.endsWith('%')) {
      const points = pointsOf(value)
      if (points < 0) problems.push({ path, message: mustNotBeNegative })
      if (points > mostBasisPoints) problems.push({ path, message: `must be at most ${mostBasisPoints / 100}%` })
    }
  }
  look('', document)
  const { serviceBasisPoints, serviceTiers, volumes, methods, fixed, pairs } = read(document)
  const services = [
    ...Object.values(serviceBasisPoints),
    ...[...serviceTiers, ...volumes].flatMap(({ basisPoints }) => Object.values(basisPoints)),
    ...[...pairs.values()].map(({ service = 0 }) => service),
  ]
  problems.push(...tierProblems(serviceBasisPoints, serviceTiers), ...volumeProblems(volumes))
  for (const [category, { deposit, payout }] of fixed) {
    if (centsOf(deposit) > mostFixedCents || centsOf(payout) > mostFixedCents)
      problems.push({
        path: `methods.${category}`,
        message: `must have a fixed part of at most ${mostFixedCents / 100n}`,
      })
  }
  const ways = [...methods.values()]
  const together =
    Math.max(...services) +
    Math.max(0, ...ways.map(({ deposit }) => deposit)) +
    Math.max(0, ...ways.map(({ payout }) => payout))
  if (together > mostTogether) {
    const message = `the greatest service fee and the greatest fees of methods come to more than ${mostTogether / 100}%`
    problems.push({ path: '', message })
  }
  if (centsOf(document.minimum ?? '0') > mostMinimumCents) {
    problems.push({ path: 'minimum', message: 'must be at most 1000' })
  }
  for (const pair of Object.keys(document.pairs ?? {})) {
    const reversed = pair.split('/').toReversed().join('/')
    const isTwice = document.pairs !== undefined && reversed !== pair && reversed in document.pairs
    if (isTwice) problems.push({ path: `pairs.${pair}`, message: `is the same pair as ${reversed}` })
  }
  return problems
}

/** Tiers ascend, and their shares do not: who pays more would pay in parts. */
function tierProblems(service: FeeRules['serviceBasisPoints'], tiers: FeeRules['serviceTiers']): DocumentProblem[] {
  return tiers.flatMap(({ above, basisPoints }, index) => {
    const before = tiers[index - 1] ?? { above: '0', basisPoints: service }
    return [
      ...(centsOf(above) > centsOf(before.above)
        ? []
        : [{ path: `tiers.${index}.above`, message: `must be more than ${before.above}` }]),
      ...sides
        .filter((side) => basisPoints[side] > before.basisPoints[side])
        .map((side) => ({
          path: `tiers.${index}.service.${side}`,
          message: 'must not be more than the share of smaller amounts: a larger one would be paid in parts',
        })),
    ]
  })
}

const volumeProblems = (volumes: FeeRules['volumes']): DocumentProblem[] =>
  volumes.flatMap(({ fromCents }, index) =>
    fromCents > (volumes[index - 1]?.fromCents ?? 0n)
      ? []
      : [{ path: `volumes.${index}.from`, message: 'must be more than zero, and than the one before' }],
  )

/** A price list that leaves out methods has what ships for them. */
export const withEveryMethod = (document: unknown, shipped: FeesDocument['methods']): unknown =>
  isObject(document) && isObject(document.methods)
    ? { ...document, methods: { ...shipped, ...document.methods } }
    : document

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * What the methods cost customers: our own price list, not facts of the networks.
 *
 * - Cards, and the wallets that only carry them: 2.50 percent covers what cards cost a merchant in this trade (interchange is
 *   capped at 0.2 and 0.3 percent inside the EEA by Regulation (EU) 2015/751; scheme fees, acquirer, cross-border surcharge and
 *   chargebacks make the rest). Revolut Pay 1.00: the provider's percentage, without chargebacks of a card scheme.
 * - Open banking 0.50 and PSE 1.50: the provider's price a payment, as a percentage. There is nothing to charge back.
 * - Pix 0.50 in and 0.20 out, SPEI 0.20: what a bank asks a company for each payment, as a percentage.
 * - SEPA and Faster Payments free: cents a payment (Regulation (EU) 2024/886 makes instant ones cost no more).
 * - SWIFT free in, since the sender's bank charges the sender, and 0.50 out for the charges of the banks on the way.
 * - Coins free: they cost their network fee, which is charged by itself.
 */
export const feeMethods: FeesDocument['methods'] = {
  VISA_MC: '2.5%',
  APPLE_PAY: '2.5%',
  GOOGLE_PAY: '2.5%',
  REVOLUT_PAY: '1%',
  OPEN_BANKING: '0.5%',
  PSE: '1.5%',
  SEPA: '0%',
  FASTERPAYMENTS: '0%',
  PIX: { deposit: '0.5%', payout: '0.2%' },
  SPEI: '0.2%',
  SWIFT: { deposit: '0%', payout: '0.5%' },
  CRYPTO: '0%',
}

/** Institutions pay what the banks charge us for large amounts. */
export const b2bMethods: FeesDocument['methods'] = {
  SEPA: '0%',
  FASTERPAYMENTS: '0%',
  PIX: '0.1%',
  SPEI: '0.05%',
  SWIFT: { deposit: '0%', payout: '0.1%' },
  CRYPTO: '0%',
}

/** Customers' exchanges. */
export const fees: PolicyKind<FeesDocument, FeeRules> = {
  schema,
  read,
  contradictions,
  shipped: () => ({
    service: { buy: '1%', sell: '1%', swap: '0.5%' },
    methods: feeMethods,
    spread: '0.5%',
    spread_by_side: { swap: '0.4%' },
  }),
}

/** Institutions: large amounts, paid by transfers and coins that cannot be charged back. */
export const b2b: PolicyKind<FeesDocument, FeeRules> = {
  schema,
  read,
  contradictions,
  shipped: () => ({
    service: { buy: '0.3%', sell: '0.3%', swap: '0.2%' },
    minimum: '5',
    methods: b2bMethods,
    spread: '0.2%',
    spread_by_side: { swap: '0.15%' },
  }),
}
