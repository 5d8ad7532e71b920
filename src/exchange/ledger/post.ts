import type { RowIds } from '../../platform/db/row-ids.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { digestOf, type Entry } from './entry.ts'
import * as queries from './queries.ts'

/** What booking needs in addition to the block: ids for entries, and the key of their digests. */
export type Books = { rowIds: RowIds; secrets: { ledger: Buffer } }

/**
 * Books entries in the caller's atomic block, with two statements however many there are. Booking the same thing twice fails the
 * block. No account is locked, because balances are sums: a busy account does not serialize its users.
 */
export async function post(db: Atomic, { rowIds, secrets }: Books, entries: Entry[]): Promise<void> {
  if (entries.length === 0) return
  const numbered: queries.NumberedEntry[] = []
  for (const entry of entries) {
    const id = await rowIds.next()
    numbered.push({ ...entry, id, digest: digestOf(secrets.ledger, entry, id) })
  }
  queries.insertEntries(db, numbered)
  queries.insertPostings(
    db,
    numbered.flatMap(({ id, postings }) =>
      postings.map((posting, index) => ({ ...posting, entryId: id, line: index + 1 })),
    ),
  )
}
