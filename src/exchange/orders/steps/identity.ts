import { waitsForIdentity } from '../identity.ts'
import type { OrderStep } from '../step.ts'

/** An identity check, required by limits once everything else is known (see identity.ts). The provider's result completes it. */
export const identity = {
  name: 'identity',
  details: [],
  changeable: 'until_complete',
  isMissing: (_ctx, transaction) => waitsForIdentity(transaction) && transaction.customerId !== null,
} as const satisfies OrderStep
