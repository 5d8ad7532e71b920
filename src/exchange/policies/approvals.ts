import { noContradictions, type PolicyKind } from './kind.ts'
import { centsOf, decimal, object } from './values.ts'

/** What needs a second operator. `above` null: no payout does. */
export type ApprovalsDocument = {
  payouts: { above: string | null; currency: 'EUR' }
  policies: 'one_operator' | 'two_operators'
}
export type ApprovalRules = { payoutsAboveEurCents: bigint | undefined; policiesNeedTwo: boolean }

export const approvals: PolicyKind<ApprovalsDocument, ApprovalRules> = {
  schema: object({
    payouts: object({ above: { anyOf: [decimal, { type: 'null' }] }, currency: { enum: ['EUR'] } }),
    policies: { enum: ['one_operator', 'two_operators'] },
  }),
  read: ({ payouts: { above }, policies }) => ({
    payoutsAboveEurCents: above === null ? undefined : centsOf(above),
    policiesNeedTwo: policies === 'two_operators',
  }),
  contradictions: noContradictions,
  shipped: ({ twoOperators }) => ({
    payouts: { above: '100000', currency: 'EUR' },
    policies: twoOperators ? 'two_operators' : 'one_operator',
  }),
}
