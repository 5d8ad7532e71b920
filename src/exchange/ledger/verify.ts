import type { Db } from '../../platform/db/sql.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { digestOf, type Entry } from './entry.ts'
import { ledgerRotation } from './ledger-keys.ts'
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
export async function verifyBooks(db: Db, { secrets }: { secrets: DigestKeys }): Promise<string[]> {
  const { id, ended } = await ledgerRotation(db)
  const previous = ended ? undefined : secrets.ledgerKeys?.get(id - 1)
  const problems = await problemsIn<queries.JournalRow>(
    (last) => queries.journal(db, idOf(last), batch, id),
    (rows) => rows.flatMap((row) => problemsOf(row, secrets.ledger, previous)),
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

/** The key that makes digests now, and all that have made some. */
type DigestKeys = { ledger: Buffer; ledgerKeys?: ReadonlyMap<number, Buffer> }

function problemsOf(row: queries.JournalRow, key: Buffer, previous: Buffer | undefined): string[] {
  const { id, transaction_id: transactionId, public_id: publicId, kind, lines } = row
  const name = `Entry ${id} (${kind})${publicId === null ? '' : ` of transaction ${publicId}`}`
  if (transactionId !== null && publicId === null) return [`${name} belongs to a missing transaction.`]
  if (!lines) return [`${name} has no postings.`]
  return isProven(row, key) || (previous && wasProven(row, previous)) ? [] : [changed(name)]
}

const changed = (name: string): string => `${name} was changed after it was booked.`

/** Whether an entry has a digest by a key: its first one, or a later one. */
const isProven = (row: queries.JournalRow, key: Buffer): boolean =>
  isBy(key, row, row.digest) || (row.later_digest !== null && isBy(key, row, row.later_digest))

/** The same of the key before. */
const wasProven = (row: queries.JournalRow, key: Buffer): boolean =>
  isBy(key, row, row.digest) || (row.previous_digest !== null && isBy(key, row, row.previous_digest))

function isBy(key: Buffer, row: queries.JournalRow, digest: Buffer): boolean {
  const entry = entryOf(row)
  return [digestOf(key, entry, row.id), digestOf(key, entry)].some((one) => one.equals(digest))
}

function entryOf({ transaction_id: transactionId, kind, ref, at, lines }: queries.JournalRow): Entry {
  const postings = (lines ?? []).map(([debit, credit, asset, amount]) => ({
    debit,
    credit,
    asset,
    amount: BigInt(amount),
  }))
  return { transactionId, kind, ref, at, postings }
}

/**
 * Makes digests by the newest key for entries that have none, and hands them to `store`, batch by batch. Gives how many. Refuses an entry
 * that the key before does not prove (CONFLICT).
 */
export async function digestAgain(
  db: Db,
  { secrets }: { secrets: Required<DigestKeys> },
  store: (digests: { entryId: bigint; digest: Buffer }[]) => Promise<void>,
): Promise<number> {
  const { id } = await ledgerRotation(db)
  const previous = secrets.ledgerKeys.get(id - 1)
  let [last, count] = [beforeAll, 0]
  for (;;) {
    const rows = await queries.journal(db, last, batch, id)
    const old = rows.filter((row) => !isProven(row, secrets.ledger))
    const forged = old.find((row) => !previous || !wasProven(row, previous))
    if (forged) throw new Refusal('CONFLICT', `${changed(`Entry ${forged.id}`)} Run: cambio verify`)
    if (old.length > 0) {
      await store(old.map((row) => ({ entryId: row.id, digest: digestOf(secrets.ledger, entryOf(row), row.id) })))
    }
    count += old.length
    const end = rows.at(-1)
    if (!end) return count
    last = end.id
  }
}
