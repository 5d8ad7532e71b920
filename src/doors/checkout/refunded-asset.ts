import { type Listing, listingById } from '../../reference/catalog/asset.ts'

/** The listing of a refunded asset. The catalog keeps every asset that was ever accepted. */
export function listed(asset: string): Listing {
  const listing = listingById(asset)
  if (!listing) throw new Error(`The catalog has no ${asset}.`)
  return listing
}
