import type { Db } from '../../platform/db/sql.ts'

/** What an account of a bank began with, by the earliest statement that is not in that, the last day of that one, and since when one is known. */
export type BankOpening = { opening: bigint; closing_on: string; since: Date }

export const bankOpening = async (
  db: Db,
  { rail, account, asset }: { rail: string; account: string; asset: string },
): Promise<BankOpening | undefined> =>
  (
    await db.sql<BankOpening>`
      select opening, closing_on::text, (select min(received_at) from iso20022_statements as any_of join iso20022_files as file on file.id = any_of.file_id
        where any_of.rail = ${rail} and any_of.account = ${account} and any_of.asset = ${asset}) as since
      from iso20022_statements as statement
      where rail = ${rail} and account = ${account} and asset = ${asset} and not is_in_opening
      order by closing_on, number nulls first, page, id limit 1`
  )[0]
