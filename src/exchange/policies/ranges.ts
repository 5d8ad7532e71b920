import type { Kind, Side } from '../../reference/catalog/payment-method.ts'
import type { DocumentProblem, PolicyKind } from './kind.ts'
import { centsOf, decimal, object } from './values.ts'

/** The least or the most of one exchange, in the market's reference currency. */
type Amount = { EUR: string }
type RangeDocument = { least: Amount; most: Amount }

/** The house's own range of one exchange: what swaps and institutions may exchange is said apart. */
export type RangesDocument = RangeDocument & {
  swap?: { most: Amount }
  b2b?: RangeDocument & { swap: { most: Amount } }
}

/** Bounds as decimal text, by whose exchange it is and its side. */
export type RangeRules = Readonly<Record<Kind, Readonly<Record<Side, { min: string; max: string }>>>>

const amount = object({ EUR: decimal })
const swap = object({ most: amount })

/** What a document may leave out: it is as shipped. */
const shippedRest = {
  swap: { most: { EUR: '100000' } },
  b2b: { least: { EUR: '1000' }, most: { EUR: '1000000' }, swap: { most: { EUR: '2000000' } } },
}

/** A document with what it leaves out. */
export const withEveryRange = (document: unknown): unknown =>
  typeof document === 'object' && document !== null ? { ...document, ...missingIn(document) } : document

const missingIn = (document: object) => ({
  ...('swap' in document ? {} : { swap: shippedRest.swap }),
  ...('b2b' in document ? {} : { b2b: shippedRest.b2b }),
})

const boundsOf = ({ least, most }: RangeDocument, swaps: { most: Amount }) => {
  const range = { min: least.EUR, max: most.EUR }
  return { buy: range, sell: range, swap: { min: least.EUR, max: swaps.most.EUR } }
}

export const ranges: PolicyKind<RangesDocument, RangeRules> = {
  schema: object({ least: amount, most: amount, swap, b2b: object({ least: amount, most: amount, swap }) }, [
    'swap',
    'b2b',
  ]),
  read: ({ swap: swaps = shippedRest.swap, b2b = shippedRest.b2b, ...retail }) => ({
    retail: boundsOf(retail, swaps),
    b2b: boundsOf(b2b, b2b.swap),
  }),
  contradictions: ({ swap: swaps = shippedRest.swap, b2b = shippedRest.b2b, ...retail }) => [
    ...emptyOf('', retail, swaps),
    ...emptyOf('b2b.', b2b, b2b.swap),
  ],
  shipped: () => ({ least: { EUR: '10' }, most: { EUR: '50000' }, ...shippedRest }),
}

/** A range in which nothing lies sells nothing: to stop selling there are halts. */
function emptyOf(path: string, { least, most }: RangeDocument, swaps: { most: Amount }): DocumentProblem[] {
  const message = 'is less than the least'
  return [
    ...(centsOf(most.EUR) < centsOf(least.EUR) ? [{ path: `${path}most.EUR`, message }] : []),
    ...(centsOf(swaps.most.EUR) < centsOf(least.EUR) ? [{ path: `${path}swap.most.EUR`, message }] : []),
  ]
}
