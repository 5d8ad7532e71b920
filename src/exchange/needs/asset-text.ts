import { bookedAsset } from '../../reference/catalog/sync-assets.ts'

/** An asset as people say it: `USDT on TRX`. What the catalog does not know stays as it is. */
export function assetText(id: string): string {
  const { ticker, network } = bookedAsset(id) ?? { ticker: id, network: id }
  return network === ticker ? ticker : `${ticker} on ${network}`
}
