import type { Db } from '../../platform/db/sql.ts'
import { misvalued, unevenValuations } from '../treasury/valuations.sql.ts'

/** The profit and loss must rest on every change of the accounts of the house that is valued, and its columns must add up. */
export async function verifyValuations(db: Db): Promise<string[]> {
  const [assets, entries] = await Promise.all([misvalued(db), unevenValuations(db)])
  return [
    ...assets.map(({ asset }) => `The profit and loss and the ledger differ in ${asset}.`),
    ...entries.map(({ entry_id: id }) => `The columns of the valuation of entry ${id} do not add up.`),
  ]
}
