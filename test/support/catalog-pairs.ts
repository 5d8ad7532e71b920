import { type Listing, listings } from '../../src/reference/catalog/asset.ts'
import { sideOf } from '../../src/reference/catalog/currency.ts'
import type { PaymentMethod, Side } from '../../src/reference/catalog/payment-method.ts'

/** Two assets that the catalog lets exchange, and every method that is open for that at either end. */
export type CatalogPair = {
  side: Side
  source: Listing
  target: Listing
  deposits: readonly PaymentMethod[]
  payouts: readonly PaymentMethod[]
}

/** Every pair that the catalog opens, in its order: some thousands. */
export const catalogPairs: readonly CatalogPair[] = listings.flatMap((source) =>
  listings.flatMap((target) => {
    const side = sideOf(source.currency, target.currency)
    if (!side || source === target) return []
    const deposits = source.network.paymentMethods.filter(({ deposit }) => deposit?.sides.includes(side))
    const payouts = target.network.paymentMethods.filter(({ withdrawal }) => withdrawal?.sides.includes(side))
    return deposits.length > 0 && payouts.length > 0 ? [{ side, source, target, deposits, payouts }] : []
  }),
)

/** A pair as a request names it. */
export const askFor = ({ source, target }: Pick<CatalogPair, 'source' | 'target'>) => ({
  fromCurrency: source.asset.ticker,
  fromNetwork: source.asset.network,
  toCurrency: target.asset.ticker,
  toNetwork: target.asset.network,
})
