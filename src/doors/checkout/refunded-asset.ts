import { type Listing, listingById } from '../../reference/catalog/asset.ts'

/** The listing of an asset that goes back. What was taken in is in the catalog, closed or not. */
export function listed(asset: string): Listing {
  const listing = listingById(asset)
  if (!listing) throw new Error(`The catalog has lost ${asset}.`)
  return listing
}
