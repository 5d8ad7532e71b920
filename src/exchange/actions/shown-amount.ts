import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { formatAmount } from '../../platform/money/amount.ts'

/** An amount in whole units of its asset, not in its smallest ones. */
export function shownAmount(asset: string, amount: bigint): { asset: string; amount: string } {
  const known = bookedAsset(asset)
  if (!known) throw new Error(`The catalog does not know ${asset}.`)
  return { asset, amount: formatAmount(amount, known) }
}
