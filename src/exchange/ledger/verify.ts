import type { Db } from '../../platform/db/sql.ts'
import { digestOf } from './entry.ts'
import * as queries from './queries.ts'

const batch = 2_000

/** The least bigint: a forged row can have any id. */
export const beforeAll = -(2n ** 63n)

/** One check stops after this many problems, which still fit in memory. */
export const enoughProblems = 10_000

/**
 * Reads the whole journal in batches and finds entries that were changed or swapped since they were booked (their keyed digest no
 * longer matches), entries of missing transactions, postings without an entry, balance snapshots that differ from their
 * postings, and reserves that exceed their balance. Returns one sentence a problem.
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
  for (const { account, asset } of await queries.wrongSnapshots(db)) {
    problems.push(`The balance snapshot of ${account} in ${asset} is not the sum of its postings.`)
  }
  for (const { place, asset } of await queries.excessReserves(db)) {
    problems.push(`${asset} reserves at ${place} exceed its balance.`)
  }
  for (const { asset } of await queries.unbalanced(db)) problems.push(`The books do not balance in ${asset}.`)
  return problems
}

function problemsOf(row: queries.JournalRow, key: Buffer): string[] {
  const { id, transaction_id: transactionId, public_id: publicId, kind, ref, at, digest, lines } = row
  const name = `Entry ${id} (${kind})${publicId === null ? '' : ` of transaction ${publicId}`}`
  if (transactionId !== null && publicId === null) return [`${name} belongs to a missing transaction.`]
  if (!lines) return [`${name} has no postings.`]
  const postings = lines.map(([debit, credit, asset, amount]) => ({ debit, credit, asset, amount: BigInt(amount) }))
  const entry = { transactionId, kind, ref, at, postings }
  const isAsBooked = [digestOf(key, entry, id), digestOf(key, entry)].some((one) => one.equals(digest))
  return isAsBooked ? [] : [`${name} was changed after it was booked.`]
}
