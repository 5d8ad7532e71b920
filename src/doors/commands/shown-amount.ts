import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { formatAmount } from '../../platform/money/amount.ts'

/** An amount of an asset as people read it: a decimal text of fiat or coins, not of their smallest units. */
export function shownAmount(asset: string, amount: bigint): { asset: string; amount: string } {
  const known = bookedAsset(asset)
  if (!known) throw new Error(`The catalog has lost ${asset}.`)
  return { asset, amount: formatAmount(amount, known) }
}
