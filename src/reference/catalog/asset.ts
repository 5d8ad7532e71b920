import type { Asset } from '../../platform/money/amount.ts'
import { currencies, findCurrency } from './currency.ts'
import type { Currency, CurrencyNetwork } from './currency.ts'
import { lookupKey } from './lookup-key.ts'
import { findNetwork } from './network.ts'

/** An asset with everything the catalog says about it. */
export type Listing = { currency: Currency; network: CurrencyNetwork; asset: Asset }

/** Every asset of the catalog with its currency and network, fiat first. */
export const listings: readonly Listing[] = currencies.flatMap((currency) =>
  currency.networks.map((network) => ({ currency, network, asset: network.asset })),
)

const byId = new Map(listings.map((listing) => [listing.asset.id, listing]))

/**
 * Finds a ticker on a network, both in any letter case, aliases read; without a network the currency's main one.
 * Undefined when either is unknown or the currency does not live there.
 */
export function findListing(ticker: string, network?: string): Listing | undefined {
  const currency = findCurrency(ticker)
  if (!currency) return undefined
  if (network === undefined) return byId.get(currency.networks[0].asset.id)

  return byId.get(`${currency.ticker}-${findNetwork(network)?.code ?? lookupKey(network)}`)
}

/** The asset that a ticker and a network name, as `findListing`. */
export const assetOf = (ticker: string, network?: string): Asset | undefined => findListing(ticker, network)?.asset

/** The listing of an asset by its exact id (`USDT-TRX`), as the database keeps it. */
export const listingById = (id: string): Listing | undefined => byId.get(id)

/** The asset with this exact id (`USDT-TRX`, `EUR-EUR`). */
export const assetById = (id: string): Asset | undefined => byId.get(id)?.asset

/** Every asset of the catalog, fiat first. */
export const allAssets = (): readonly Asset[] => listings.map((listing) => listing.asset)
