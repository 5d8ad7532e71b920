import type { Db } from '../../platform/db/sql.ts'
import type { Asset } from '../../platform/money/amount.ts'

/** The assets that the books know. */
export const assets = (db: Db): Promise<{ id: string; decimals: number }[]> => db.sql`select id, decimals from assets`

/** Makes assets known to the books. Two processes that start at once may both try. */
export const insertAssets = (db: Db, rows: Asset[]): Promise<unknown[]> =>
  db.sql`
    insert into assets (id, ticker, network, decimals)
    select * from unnest(
      ${rows.map((row) => row.id)}::text[], ${rows.map((row) => row.ticker)}::text[],
      ${rows.map((row) => row.network)}::text[], ${rows.map((row) => row.decimals)}::integer[])
    on conflict do nothing`
