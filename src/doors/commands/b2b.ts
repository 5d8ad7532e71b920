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
import type { Answer, Given } from './command.ts'
import { idOf, partnerIdOf } from './read-id.ts'
import { withActor } from './who.ts'

/** Lists a partner's registered payout addresses. */
export const list = (given: Given): Promise<Answer> => {
  const partnerId = partnerIdOf(given)
  return given.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listPayoutAddresses(ctx, partnerId)).map(shown) }
  })
}

type Decide = (ctx: Ctx, decision: Decision) => Promise<PayoutAddress>

const decided =
  (decide: Decide) =>
  (given: Given): Promise<Answer> => {
    const { reason } = given.flags
    const id = idOf(given)
    return withActor(given, async (ctx, who) => {
      const decision = { id, actor: who, ...(reason === undefined ? {} : { reason }) }
      return { json: shown(await decide(ctx, decision)) }
    })
  }

/** Approves an address, and shows it. */
export const approve = decided(approvePayoutAddress)

/** Rejects an address that waits, and shows it. */
export const reject = decided(rejectPayoutAddress)

/** Disables an address, and shows it. */
export const disable = decided(disablePayoutAddress)

/** As its partner sees it, with what only operators need. */
const shown = (address: PayoutAddress) => ({
  ...payoutAddressRecord(address),
  partner_id: String(address.partnerId),
  account_name: address.details.holder,
  needs_approval: address.needsApproval,
  approved_at: address.approvedAt?.toISOString() ?? null,
})
