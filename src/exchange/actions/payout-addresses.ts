import { type PayoutAddress, payoutAddressRecord } from '../partners/payout-address.ts'
import {
  approvePayoutAddress,
  type Decision,
  disablePayoutAddress,
  rejectPayoutAddress,
  whyNotApproved,
  whyNotDisabled,
  whyNotRejected,
} from '../partners/payout-address-status.ts'
import type { Ctx } from '../context.ts'
import type { Action } from './action.ts'
import { byId } from './by-id.ts'

/** The partner's view, and what only operators need. */
export const payoutAddressJson = (address: PayoutAddress) => ({
  ...payoutAddressRecord(address),
  partner_id: String(address.partnerId),
  account_name: address.details.holder,
  needs_approval: address.needsApproval,
  approved_at: address.approvedAt?.toISOString() ?? null,
})

/** An address: commands know its id alone. */
export type NamedAddress = Pick<PayoutAddress, 'id'> & Partial<PayoutAddress>

type Rule = (address: Pick<PayoutAddress, 'status' | 'approvedAt'>) => string | undefined

const decision = (
  verb: (ctx: Ctx, decision: Decision) => Promise<PayoutAddress>,
  rule: Rule,
): Pick<Action<NamedAddress>, 'subject' | 'permission' | 'fields' | 'allowedNow' | 'run'> => ({
  subject: {
    noun: 'b2b',
    argument: 'ADDRESS_ID',
    field: 'address',
    find: byId('payout address', (_ctx, id) => ({ id })),
  },
  permission: 'partners.manage',
  fields: [],
  allowedNow: (_ctx, { status, approvedAt = null }) => status && rule({ status, approvedAt }),
  run: async (ctx, { id }, { reason }, { actor }) => {
    const after = await verb(ctx, { id, actor, ...(reason === '' ? {} : { reason }) })
    return { said: `The address is ${after.status.replaceAll('_', ' ')}.`, json: payoutAddressJson(after) }
  },
})

/** What an operator decides about an address that B2B transactions pay out to. */
export const payoutAddressActions: readonly Action<NamedAddress>[] = [
  {
    ...decision(approvePayoutAddress, whyNotApproved),
    name: 'approve',
    title: 'Approve',
    does: 'Approves a B2B payout address. It becomes active after its cooling-off time.',
    details: 'For a rejected or disabled address the cooling-off time starts again.',
    needsReason: 'none',
  },
  {
    ...decision(rejectPayoutAddress, whyNotRejected),
    name: 'reject',
    title: 'Reject',
    does: 'Rejects a B2B payout address that is pending.',
    needsReason: 'optional',
  },
  {
    ...decision(disablePayoutAddress, whyNotDisabled),
    name: 'disable-address',
    title: 'Disable',
    does: 'Stops payouts to a B2B payout address, including those of earlier transactions.',
    details: 'Payouts to it that are not prepared yet are put on hold.',
    needsReason: 'optional',
    commands: [{ words: 'b2b disable' }],
  },
]
