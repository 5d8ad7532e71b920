import { noContradictions, type PolicyKind } from './kind.ts'
import { centsOf, decimal, object } from './values.ts'

/**
 * What needs a second operator, and what support may refund alone. `above` null: no payout needs one. `support_refunds_up_to`: in EUR,
 * all that goes back of one order; versions from before it have the one that ships.
 */
export type ApprovalsDocument = {
  payouts: { above: string | null; currency: 'EUR' }
  policies: 'one_operator' | 'two_operators'
  support_refunds_up_to?: string
}
export type ApprovalRules = {
  payoutsAboveEurCents: bigint | undefined
  policiesNeedTwo: boolean
  supportRefundsUpToEurCents: bigint
}

const shippedSupportLimit = '1000'

export const approvals: PolicyKind<ApprovalsDocument, ApprovalRules> = {
  schema: object(
    {
      payouts: object({ above: { anyOf: [decimal, { type: 'null' }] }, currency: { enum: ['EUR'] } }),
      policies: { enum: ['one_operator', 'two_operators'] },
      support_refunds_up_to: decimal,
    },
    ['support_refunds_up_to'],
  ),
  read: ({ payouts: { above }, policies, support_refunds_up_to: upTo = shippedSupportLimit }) => ({
    payoutsAboveEurCents: above === null ? undefined : centsOf(above),
    policiesNeedTwo: policies === 'two_operators',
    supportRefundsUpToEurCents: centsOf(upTo),
  }),
  contradictions: noContradictions,
  shipped: ({ twoOperators }) => ({
    payouts: { above: '100000', currency: 'EUR' },
    policies: twoOperators ? 'two_operators' : 'one_operator',
    support_refunds_up_to: shippedSupportLimit,
  }),
}
