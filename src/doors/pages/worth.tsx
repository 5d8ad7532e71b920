import { formatAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { Amount } from './table.tsx'

/** An amount in the smallest unit of an asset, in whole units. */
export function Worth({ asset, amount }: { asset: string; amount: bigint }) {
  const known = bookedAsset(asset)
  return known ? <Amount amount={formatAmount(amount, known)} asset={asset} /> : <>{asset}</>
}
