import type { Content } from '../approvals/content.ts'
import type { Destination } from '../../rails/rail.ts'
import { destinationPlace, type PayablePayout } from './payout.ts'

/** What is approved of a payout or refund: the amount, the asset, the rail and the destination. */
export const payoutContent = ({ dataKey, destination, ...payout }: SignedPayout): Content => ({
  kind: 'payout',
  id: String(payout.id),
  purpose: payout.purpose,
  transaction: payout.transaction_id === null ? null : String(payout.transaction_id),
  number: payout.number,
  rail: payout.rail,
  place: payout.place,
  asset: payout.asset,
  amount: String(payout.amount),
  destination: dataKey.open<Destination>(destination, destinationPlace(payout.id)),
})

type SignedPayout = Omit<PayablePayout, 'state' | 'fee_asset' | 'most_fee'>
