import { listingById } from '../../reference/catalog/asset.ts'
import { parseAmount } from '../../platform/money/amount.ts'

/** What is kept for sending a refund of an asset: on chains what a payout of it is charged, nothing elsewhere. */
export function refundCost(assetId: string): bigint {
  const listing = listingById(assetId)
  const fee = listing?.network.networkFee
  return listing && fee !== null && fee !== undefined ? parseAmount(fee, listing.asset) : 0n
}

/** Whether an asset moves on a chain, to an address that somebody can be asked for. */
export const isOnChain = (assetId: string): boolean => (listingById(assetId)?.network.chain ?? null) !== null
