import type { Schema } from '../../platform/lib/schema.ts'
import { type Category, paymentCategories } from '../../reference/catalog/payment-category.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'
import { basisPointsOf, centsOf, decimal, object, percent } from './values.ts'

type BySide = Readonly<Record<Side, string>>

/** A part of what is paid, of it and an amount in euros for each payment. */
type PaymentFee = string | { percent?: string; fixed?: string }

/** The fee of a payment method: the same both ways, or each its own. */
type MethodFee = PaymentFee | { deposit: PaymentFee; payout: PaymentFee }

/** What sending or taking money by a method costs the house: a part of the amount, and euros for each payment. */
type MethodCost = { percent?: string; fixed?: string }

/** A price list, as operators write it. */
export type FeesDocument = {
  service: BySide
  /** The service fee of what is above an amount in euros, by the amounts. */
  tiers?: readonly { above: string; service: BySide }[]
  /** The service fee of accounts whose orders came to an amount in euros in 30 days. */
  volumes?: readonly { from: string; service: BySide }[]
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

/** A price list as pricing applies it. Parts are in hundredths of a percent of what the customer pays, and may have decimals. */
export type FeeRules = {
  serviceBasisPoints: Readonly<Record<Side, number>>
  /** Ascending; `above` is decimal text in euros. */
  serviceTiers: readonly { above: string; basisPoints: Readonly<Record<Side, number>> }[]
  /** Ascending. */
  volumes: readonly { fromCents: bigint; basisPoints: Readonly<Record<Side, number>> }[]
  /** Decimal text in euros. */
  serviceMinimum: string
  spreadBasisPoints: Readonly<Record<Side, number>>
  methods: ReadonlyMap<string, { deposit: number; payout: number }>
  /** What a payment costs besides, decimal text in euros, by payment category. */
  fixed: ReadonlyMap<string, { deposit: string; payout: string }>
  /** By `from/to`, both orders. */
  pairs: ReadonlyMap<string, { service?: number; spread?: number }>
  costs: ReadonlyMap<string, Cost>
}

/** `0.125%`. A negative one fits the schema, so that its refusal can say what it would lose. */
const share: Schema = { type: 'string', pattern: '^-?(0|[1-9]\\d{0,2})(\\.\\d{1,8})?%$' }

/** A share in hundredths of a percent, with at most six decimals. */
export function pointsOf(text: string): number {
  const [, sign = '', whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d{1,8}))?%$/.exec(text) ?? []
  if (whole === '') throw new Error('A percentage is malformed.')
  return Number.parseInt(`${sign}${whole}${fraction.padEnd(8, '0')}`, 10) / 1_000_000
}

export const sides: readonly Side[] = ['buy', 'sell', 'swap']
const bySide = (optional: readonly Side[] = []): Schema =>
  object(Object.fromEntries(sides.map((side) => [side, share])), optional)
const categories = paymentCategories.map(({ category }) => category)
const byCategory = (schema: Schema): Schema =>
  object(Object.fromEntries(categories.map((category) => [category, schema])), categories)

const paymentFee: Schema[] = [share, object({ percent: share, fixed: decimal }, ['percent', 'fixed'])]

export const schema: Schema = object(
  {
    service: bySide(),
    tiers: { type: 'array', maxItems: 10, items: object({ above: decimal, service: bySide() }) },
    volumes: { type: 'array', maxItems: 10, items: object({ from: decimal, service: bySide() }) },
    minimum: decimal,
    methods: byCategory({
      anyOf: [...paymentFee, object({ deposit: { anyOf: paymentFee }, payout: { anyOf: paymentFee } })],
    }),
    spread: share,
    spread_by_side: bySide(sides),
    pairs: {
      type: 'object',
      propertyNames: { pattern: '^[A-Z0-9]{2,10}/[A-Z0-9]{2,10}$' },
      additionalProperties: object({ service: share, spread: share }, ['service', 'spread']),
    },
    costs: byCategory(object({ percent, fixed: decimal }, ['percent', 'fixed'])),
  },
  ['tiers', 'volumes', 'minimum', 'spread_by_side', 'pairs', 'costs'],
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

export function read(document: FeesDocument): FeeRules {
  const { service, tiers = [], volumes = [], minimum = '0', methods, spread } = document
  const { spread_by_side: own = {}, pairs = {}, costs = {} } = document
  const percents = (of: (side: Side) => string): Record<Side, number> => ({
    buy: pointsOf(of('buy')),
    sell: pointsOf(of('sell')),
    swap: pointsOf(of('swap')),
  })
  return {
    serviceBasisPoints: percents((side) => service[side]),
    serviceTiers: tiers.map(({ above, service: fee }) => ({ above, basisPoints: percents((side) => fee[side]) })),
    volumes: volumes.map(({ from, service: fee }) => ({
      fromCents: centsOf(from),
      basisPoints: percents((side) => fee[side]),
    })),
    serviceMinimum: minimum,
    spreadBasisPoints: percents((side) => own[side] ?? spread),
    methods: new Map(Object.entries(methods).map(([category, fee]) => [category, bothWays(fee, percentIn)])),
    fixed: new Map(Object.entries(methods).map(([category, fee]) => [category, bothWays(fee, fixedIn)])),
    pairs: new Map(
      Object.entries(pairs).flatMap(([pair, { service: fee, spread: kept }]) => {
        const rule = {
          ...(fee === undefined ? {} : { service: pointsOf(fee) }),
          ...(kept === undefined ? {} : { spread: pointsOf(kept) }),
        }
        return [pair, pair.split('/').toReversed().join('/')].map((name) => [name, rule] as const)
      }),
    ),
    costs: new Map(Object.entries({ ...shippedCosts, ...costs }).map(([category, cost]) => [category, costOf(cost)])),
  }
}

function bothWays<Value>(fee: MethodFee, of: (fee: PaymentFee) => Value): { deposit: Value; payout: Value } {
  const isEach = typeof fee === 'object' && 'deposit' in fee
  return isEach ? { deposit: of(fee.deposit), payout: of(fee.payout) } : { deposit: of(fee), payout: of(fee) }
}

const percentIn = (fee: PaymentFee): number => pointsOf(typeof fee === 'string' ? fee : (fee.percent ?? '0%'))
const fixedIn = (fee: PaymentFee): string => (typeof fee === 'string' ? '0' : (fee.fixed ?? '0'))

const costOf = ({ percent: part = '0%', fixed = '0' }: MethodCost): Cost => ({
  basisPoints: basisPointsOf(part),
  fixedCents: centsOf(fixed),
})
