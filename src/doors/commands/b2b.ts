import { payoutAddressJson } from '../../exchange/actions/payout-addresses.ts'
import { showPartner } from '../../exchange/partners/find.ts'
import { listPayoutAddresses } from '../../exchange/partners/payout-addresses.ts'
import type { Answer, Invocation } from './command.ts'
import { partnerIdOf } from './read-id.ts'

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => {
    await showPartner(ctx, partnerId)
    return { json: (await listPayoutAddresses(ctx, partnerId)).map(payoutAddressJson) }
  })
}
