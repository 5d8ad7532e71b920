import type { RowIds } from '../../platform/db/row-ids.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { digestOf, type Entry } from './entry.ts'
import * as queries from './queries.ts'

/** What booking needs beside the block: ids for entries, and the key of their digests. */
export type Books = { rowIds: RowIds; secrets: { ledger: Buffer } }

/**
 * Books entries inside the caller's atomic block, with two statements however many there are. Booking the same thing twice
 * fails the whole block. No account is locked: balances are sums, so a busy account serializes nobody.
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
