import type { Db } from '../../platform/db/sql.ts'
import { digestOf } from './entry.ts'
import * as queries from './queries.ts'

const batch = 2_000

/** What no id is below: a row that somebody forged can have any. */
export const beforeAll = -(2n ** 63n)

/** How many problems one check tells before it looks no further: so many that nobody reads on, few enough to be kept in memory. */
export const enoughProblems = 10_000

/**
 * Reads the whole journal, a part at a time, and tells what is wrong with it: an entry whose postings were changed, removed
 * or added since it was booked, or that has changed places with another (its keyed digest no longer fits), an entry of a
 * transaction that is gone, a posting without its entry, a folded balance that the postings do not add up to, a reserve that
 * counts on more than its place holds. One sentence a problem.
 */
export async function verifyBooks(db: Db, { secrets }: { secrets: { ledger: Buffer } }): Promise<string[]> {
  const problems: string[] = []
  let after = beforeAll
  for (;;) {
    const rows = await queries.journal(db, after, batch)
    for (const row of rows) problems.push(...problemsOf(row, secrets.ledger))
    const last = rows.at(-1)
    if (!last || problems.length >= enoughProblems) break
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

function problemsOf(row: queries.JournalRow, key: Buffer): string[] {
  const { id, transaction_id: transactionId, public_id: publicId, kind, ref, at, digest, lines } = row
  const name = `Entry ${id} (${kind})${publicId === null ? '' : ` of transaction ${publicId}`}`
  if (transactionId !== null && publicId === null) return [`${name} is of a transaction that is gone.`]
  if (!lines) return [`${name} has no postings.`]
  const postings = lines.map(([debit, credit, asset, amount]) => ({ debit, credit, asset, amount: BigInt(amount) }))
  const entry = { transactionId, kind, ref, at, postings }
  const isAsBooked = [digestOf(key, entry, id), digestOf(key, entry)].some((one) => one.equals(digest))
  return isAsBooked ? [] : [`${name} is not what was booked.`]
}
