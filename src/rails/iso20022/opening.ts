import type { Db } from '../../platform/db/sql.ts'

/** What an account of a bank began with, by the earliest statement that is not in that, the last day of that one, and since when one is known. */
export type BankOpening = { account: string; opening: bigint; closing_on: string; since: Date }

/** Those of all accounts of a bank in an asset, in the order in which they became known. */
export const bankOpenings = (db: Db, { rail, asset }: { rail: string; asset: string }): Promise<BankOpening[]> =>
  db.sql`
    select account, opening, closing_on::text, since from (
      select distinct on (account) account, opening, closing_on from iso20022_statements
      where rail = ${rail} and asset = ${asset} and not is_in_opening
      order by account, closing_on, number nulls first, page, id) as first
    join (
      select account, min(received_at) as since from iso20022_statements as any_of join iso20022_files as file on file.id = file_id
      where any_of.rail = ${rail} and asset = ${asset} group by account) as known using (account)
    order by since, account`

export const bankOpening = async (
  db: Db,
  { account, ...of }: { rail: string; account: string; asset: string },
): Promise<BankOpening | undefined> => (await bankOpenings(db, of)).find((one) => one.account === account)
