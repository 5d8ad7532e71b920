import type { Schema } from '../../platform/lib/schema.ts'
import { type Category, paymentCategories } from '../../reference/catalog/payment-category.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'
import type { DocumentProblem, PolicyKind } from './kind.ts'
import { basisPointsOf, centsOf, decimal, object, percent } from './values.ts'

type BySide = Readonly<Record<Side, string>>

/** The fee of a payment method: the same both ways, or each its own. */
type MethodFee = string | { deposit: string; payout: string }

/** What sending or taking money by a method costs the house: a part of the amount, and euros for each payment. */
type MethodCost = { percent?: string; fixed?: string }

/** A price list, as operators write it. */
export type FeesDocument = {
  service: BySide
  /** Least service fee in euros. */
  minimum?: string
  /** By payment category. One that is not named is free. */
  methods: Readonly<Partial<Record<Category, MethodFee>>>
  spread: string
  spread_by_side?: Partial<BySide>
  /** By pair, in either order: `BTC/EUR`. */
  pairs?: Readonly<Record<string, { service?: string; spread?: string }>>
  /** By payment category: what the house pays. Of what is not named, `shippedCosts` holds. */
  costs?: Readonly<Partial<Record<Category, MethodCost>>>
}

/** What one payment costs the house. */
export type Cost = { basisPoints: number; fixedCents: bigint }

/** A price list as pricing applies it. Parts are in hundredths of a percent of what the customer pays. */
export type FeeRules = {
  serviceBasisPoints: Readonly<Record<Side, number>>
  /** Decimal text in euros. */
  serviceMinimum: string
  spreadBasisPoints: Readonly<Record<Side, number>>
  methods: ReadonlyMap<string, { deposit: number; payout: number }>
  /** By `from/to`, both orders. */
  pairs: ReadonlyMap<string, { service?: number; spread?: number }>
  costs: ReadonlyMap<string, Cost>
}

const sides: readonly Side[] = ['buy', 'sell', 'swap']
const bySide = (optional: readonly Side[] = []): Schema =>
  object(Object.fromEntries(sides.map((side) => [side, percent])), optional)
const categories = paymentCategories.map(({ category }) => category)
const byCategory = (schema: Schema): Schema =>
  object(Object.fromEntries(categories.map((category) => [category, schema])), categories)

const schema: Schema = object(
  {
    service: bySide(),
    minimum: decimal,
    methods: byCategory({ anyOf: [percent, object({ deposit: percent, payout: percent })] }),
    spread: percent,
    spread_by_side: bySide(sides),
    pairs: {
      type: 'object',
      propertyNames: { pattern: '^[A-Z0-9]{2,10}/[A-Z0-9]{2,10}$' },
      additionalProperties: object({ service: percent, spread: percent }, ['service', 'spread']),
    },
    costs: byCategory(object({ percent, fixed: decimal }, ['percent', 'fixed'])),
  },
  ['minimum', 'spread_by_side', 'pairs', 'costs'],
)

/**
 * What payments cost a house that has not said otherwise: what a processor asks a merchant of this trade for cards within the
 * EEA, a bank for a transfer. Our estimates, not anybody's price list.
 */
const shippedCosts: FeesDocument['costs'] = {
  VISA_MC: { percent: '1.5%', fixed: '0.2' },
  APPLE_PAY: { percent: '1.5%', fixed: '0.2' },
  GOOGLE_PAY: { percent: '1.5%', fixed: '0.2' },
  REVOLUT_PAY: { percent: '1%' },
  OPEN_BANKING: { percent: '0.3%' },
  PSE: { percent: '1%' },
  PIX: { percent: '0.1%' },
  SPEI: { fixed: '0.05' },
  SEPA: { fixed: '0.05' },
  FASTERPAYMENTS: { fixed: '0.05' },
}

function read(document: FeesDocument): FeeRules {
  const { service, minimum = '0', methods, spread, spread_by_side: own = {}, pairs = {}, costs = {} } = document
  const percents = (of: (side: Side) => string): Record<Side, number> => ({
    buy: basisPointsOf(of('buy')),
    sell: basisPointsOf(of('sell')),
    swap: basisPointsOf(of('swap')),
  })
  return {
    serviceBasisPoints: percents((side) => service[side]),
    serviceMinimum: minimum,
    spreadBasisPoints: percents((side) => own[side] ?? spread),
    methods: new Map(Object.entries(methods).map(([category, fee]) => [category, bothWays(fee)])),
    pairs: new Map(
      Object.entries(pairs).flatMap(([pair, { service: fee, spread: kept }]) => {
        const rule = {
          ...(fee === undefined ? {} : { service: basisPointsOf(fee) }),
          ...(kept === undefined ? {} : { spread: basisPointsOf(kept) }),
        }
        return [pair, pair.split('/').toReversed().join('/')].map((name) => [name, rule] as const)
      }),
    ),
    costs: new Map(Object.entries({ ...shippedCosts, ...costs }).map(([category, cost]) => [category, costOf(cost)])),
  }
}

const bothWays = (fee: MethodFee): { deposit: number; payout: number } =>
  typeof fee === 'string'
    ? { deposit: basisPointsOf(fee), payout: basisPointsOf(fee) }
    : { deposit: basisPointsOf(fee.deposit), payout: basisPointsOf(fee.payout) }

const costOf = ({ percent: part = '0%', fixed = '0' }: MethodCost): Cost => ({
  basisPoints: basisPointsOf(part),
  fixedCents: centsOf(fixed),
})

/** The most that a service fee, a method's fee and a spread may each be. */
const mostBasisPoints = 2_000

/** The most that all fees may take together, next to the greatest commission: pricing refuses, as a fault, more than half. */
const mostTogether = 3_000

/** The greatest least service fee. */
const mostMinimumCents = 1_000_00n

export const mustNotBeNegative = 'must not be negative'

function contradictions(document: FeesDocument): DocumentProblem[] {
  const problems: DocumentProblem[] = []
  const look = (path: string, value: unknown): void => {
    if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) look(path === '' ? name : `${path}.${name}`, member)
    } else if (typeof value === 'string' && value.endsWith('%')) {
      const points = basisPointsOf(value)
      if (points < 0) problems.push({ path, message: mustNotBeNegative })
      if (points > mostBasisPoints) problems.push({ path, message: `must be at most ${mostBasisPoints / 100}%` })
    }
  }
  look('', document)
  const { serviceBasisPoints, methods, pairs } = read(document)
  const services = [...Object.values(serviceBasisPoints), ...[...pairs.values()].map(({ service = 0 }) => service)]
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
