import type { Db } from '../db/sql.ts'
import { digestOf } from './entry.ts'
import * as queries from './queries.ts'

const batch = 2_000

/**
 * Reads the whole journal, a part at a time, and tells what is wrong with it: an entry whose postings were changed, removed
 * or added since it was booked (its keyed digest no longer fits), a posting without its entry, a folded balance that the
 * postings do not add up to, a reserve that counts on more than its place holds. One sentence a problem.
 */
export async function verifyBooks(db: Db, { secrets }: { secrets: { ledger: Buffer } }): Promise<string[]> {
  const problems: string[] = []
  let after = 0n
  for (;;) {
    const rows = await queries.journal(db, after, batch)
    for (const row of rows) problems.push(...problemsOf(row, secrets.ledger))
    const last = rows.at(-1)
    if (!last) break
    after = last.id
  }
  for (const { entry_id } of await queries.orphans(db)) problems.push(`Postings of entry ${entry_id} have no entry.`)
  for (const { account, asset } of await queries.misfolded(db)) {
    problems.push(`The folded balance of ${account} in ${asset} is not the sum of its postings.`)
  }
  for (const { place, asset } of await queries.overcovered(db)) {
    problems.push(`More of ${asset} counts as held at ${place} than is.`)
  }
  for (const { asset } of await queries.unbalanced(db)) problems.push(`The books do not balance in ${asset}.`)
  return problems
}

function problemsOf({ id, transaction_id, kind, ref, at, digest, lines }: queries.JournalRow, key: Buffer): string[] {
  if (!lines) return [`Entry ${id} (${kind}) has no postings.`]
  const postings = lines.map(([debit, credit, asset, amount]) => ({ debit, credit, asset, amount: BigInt(amount) }))
  const now = digestOf(key, { transactionId: transaction_id, kind, ref, at, postings })
  return now.equals(digest) ? [] : [`Entry ${id} (${kind}) is not what was booked.`]
}
