import type { PolicyKind } from './kind.ts'
import { basisPointsOf, object, percent } from './values.ts'

/** How far a price may move against a customer between the quote and late money before the customer is asked. */
export type SlippageDocument = { bound: string }

export const slippage: PolicyKind<SlippageDocument, { boundBasisPoints: number }> = {
  schema: object({ bound: percent }),
  read: ({ bound }) => ({ boundBasisPoints: basisPointsOf(bound) }),
  contradictions: ({ bound }) => {
    const points = basisPointsOf(bound)
    return points >= 0 && points <= 5_000 ? [] : [{ path: 'bound', message: 'must be from 0% to 50%' }]
  },
  shipped: () => ({ bound: '2%' }),
}
