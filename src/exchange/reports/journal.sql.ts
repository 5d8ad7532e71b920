import type { Db } from '../../platform/db/sql.ts'

/** An entry with its postings. */
export type JournalRow = {
  id: bigint
  public_id: bigint | null
  kind: string
  at: Date
  postings: [debit: string, credit: string, asset: string, amount: string][]
}

/** The next entries of a period after one, by their ids. */
export const entriesBetween = (
  db: Db,
  { since, until, after, upTo, limit }: { since: Date; until: Date; after: bigint; upTo: bigint; limit: number },
): Promise<JournalRow[]> =>
  db.sql`
    select entries.id, kind, at, (select public_id from transactions where transactions.id = transaction_id) as public_id,
      (select json_agg(json_build_array(debit, credit, asset, amount::text) order by line)
        from postings where entry_id = entries.id) as postings
    from entries where id > ${after} and id <= ${upTo} and at >= ${since} and at < ${until} order by id limit ${limit}`

/** The first and the last id of a period's entries, null without any. */
export const idsBetween = (
  db: Db,
  { since, until }: { since: Date; until: Date },
): Promise<{ first: bigint | null; last: bigint | null }[]> =>
  db.sql`select min(id) as first, max(id) as last from entries where at >= ${since} and at < ${until}`
