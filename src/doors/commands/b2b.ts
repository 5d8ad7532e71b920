import { showPartner } from '../../exchange/partners/find.ts'
import { type PayoutAddress, payoutAddressRecord } from '../../exchange/partners/payout-address.ts'
import {
  approvePayoutAddress,
  type Decision,
  disablePayoutAddress,
  rejectPayoutAddress,
} from '../../exchange/partners/payout-address-status.ts'
import { listPayoutAddresses } from '../../exchange/partners/payout-addresses.ts'
import type { Ctx } from '../../exchange/context.ts'
import type { Answer, Invocation } from './command.ts'
import { idOf, partnerIdOf } from './read-id.ts'
import { withActor } from './who.ts'

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listPayoutAddresses(ctx, partnerId)).map(shown) }
  })
}

type Decide = (ctx: Ctx, decision: Decision) => Promise<PayoutAddress>

const decided =
  (decide: Decide) =>
  (input: Invocation): Promise<Answer> => {
    const { reason } = input.flags
    const id = idOf(input)
    return withActor(input, 'partners.manage', async (ctx, who) => {
      const decision = { id, actor: who, ...(reason === undefined ? {} : { reason }) }
      return { json: shown(await decide(ctx, decision)) }
    })
  }

export const approve = decided(approvePayoutAddress)

export const reject = decided(rejectPayoutAddress)

export const disable = decided(disablePayoutAddress)

/** The partner's view, and what only operators need. */
const shown = (address: PayoutAddress) => ({
  ...payoutAddressRecord(address),
  partner_id: String(address.partnerId),
  account_name: address.details.holder,
  needs_approval: address.needsApproval,
  approved_at: address.approvedAt?.toISOString() ?? null,
})
