import type { Database } from '../../platform/db/sql.ts'
import type { Asset } from '../../platform/money/amount.ts'
import { allAssets } from './asset.ts'
import { networks, type Network } from './network.ts'
import * as queries from './queries.ts'

/** The coin that a chain's own fees are paid in: an asset of the books, whether it is offered or not. */
export const nativeAsset = ({ native, code }: Network): Asset => ({
  id: `${native.ticker}-${code}`,
  ticker: native.ticker,
  network: code,
  decimals: native.decimals,
})

const booked = new Map([...networks.map(nativeAsset), ...allAssets()].map((asset) => [asset.id, asset]))

/** An asset that the books may hold, by its id: those that are offered, and the coins of chains' own fees. */
export const bookedAsset = (id: string): Asset | undefined => booked.get(id)

/**
 * Writes the catalog's assets down, so that every amount in the database can refer to one. Refuses, as a fault, an asset
 * whose decimals are no longer those that its amounts were written with: that would change what everybody is owed.
 */
export async function syncAssets(db: Database): Promise<void> {
  const known = new Map((await queries.assets(db)).map(({ id, decimals }) => [id, decimals]))
  for (const { id, decimals } of booked.values()) {
    const written = known.get(id)
    if (written !== undefined && written !== decimals) {
      throw new Error(`The books hold ${id} with ${written} decimals, the catalog says ${decimals}.`)
    }
  }
  const fresh = [...booked.values()].filter(({ id }) => !known.has(id))
  if (fresh.length > 0) await queries.insertAssets(db, fresh)
}
