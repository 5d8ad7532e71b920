import type { Db } from '../../platform/db/sql.ts'
import { misfilled } from '../treasury/hedges.sql.ts'
import { misplacedTransit } from '../treasury/rebalance.ts'
import { misvalued, unevenValuations } from '../treasury/valuations.sql.ts'

/** The profit and loss must rest on every valued change of the house's accounts, its columns must add up, and hedges must be booked. */
export async function verifyTreasury(db: Db): Promise<string[]> {
  const [assets, entries, fills, moving] = await Promise.all([
    misvalued(db),
    unevenValuations(db),
    misfilled(db),
    misplacedTransit(db),
  ])
  return [
    ...assets.map(({ asset }) => `The profit and loss and the ledger differ in ${asset}.`),
    ...entries.map(({ entry_id: id }) => `The columns of the valuation of entry ${id} do not add up.`),
    ...fills.map(({ id }) => `Hedge ${id} and the ledger differ in its fills.`),
    ...moving.map(({ asset }) => `The rebalances that were sent and the ledger differ in ${asset}.`),
  ]
}
