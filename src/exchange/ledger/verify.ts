import type { Db } from '../../platform/db/sql.ts'
import { digestOf } from './entry.ts'
import * as queries from './queries.ts'

const batch = 2_000

/** The least bigint: a forged row can have any id. */
export const beforeAll = -(2n ** 63n)

/** The id to read a batch after. */
export const idOf = (last: { id: bigint } | undefined): bigint => last?.id ?? beforeAll

/** One check stops after this many problems, which still fit in memory. */
export const enoughProblems = 10_000

/** Reads a table in batches, one in memory at a time, and returns the problems of its rows. `last` is the last row read. */
export async function problemsIn<Row>(
  read: (last: Row | undefined) => Promise<Row[]>,
  check: (rows: Row[], last: Row | undefined) => string[] | Promise<string[]>,
): Promise<string[]> {
  const problems: string[] = []
  let last: Row | undefined
  for (;;) {
    const rows = await read(last)
    if (rows.length === 0) return problems
    problems.push(...(await check(rows, last)))
    if (problems.length >= enoughProblems) return problems
    last = rows.at(-1)
  }
}

/**
 * Reads the whole journal in batches and finds entries that were changed or swapped since they were booked (their keyed digest no
 * longer matches), entries of missing transactions, postings without an entry, balance snapshots that differ from their
 * postings, and reserves that exceed their balance. Returns one sentence a problem.
 */
export async function verifyBooks(db: Db, { secrets }: { secrets: { ledger: Buffer } }): Promise<string[]> {
  const problems = await problemsIn<queries.JournalRow>(
    (last) => queries.journal(db, idOf(last), batch),
    (rows) => rows.flatMap((row) => problemsOf(row, secrets.ledger)),
  )
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
