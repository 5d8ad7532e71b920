import { rowWriter } from '../../../platform/db/rows.ts'
import type { Atomic, Db } from '../../../platform/db/sql.ts'

/** Whether a file with these bytes was taken before. */
export const isTaken = async (db: Db, rail: string, checksum: string): Promise<boolean> =>
  (
    await db.sql`
      select id from iso20022_files where rail = ${rail} and checksum = ${checksum} and state in ('taken', 'accepted')`
  ).length > 0

/** A file from the bank. */
export type FileRow = { rail: string; name: string; checksum: string; message: string | null; at: Date }

/** What became of a file. */
export type FileState = 'taken' | 'refused' | 'accepted'

/** Notes a file, or what has become of one that came before. `done`: the order that is carried out by it. Gives its id. */
export async function keepFile(
  db: Db,
  { rail, name, checksum, message, at }: FileRow,
  { state, reason, done = null }: { state: FileState; reason: string | null; done?: 'read' | 'accept' | null },
): Promise<bigint> {
  const [known] = await db.sql<{ id: bigint }>`
    update iso20022_files set state = ${state}, reason = ${reason}, message = coalesce(${message}, message), cleared_at = null,
      wanted = nullif(wanted, ${done})
    where id = (
      select id from iso20022_files where rail = ${rail} and checksum = ${checksum} order by id desc limit 1)
    returning id`
  if (known) return known.id
  const [inserted] = await db.sql<{ id: bigint }>`
    insert into iso20022_files (rail, name, checksum, message, state, reason, received_at)
    values (${rail}, ${name}, ${checksum}, ${message}, ${state}, ${reason}, ${at}) returning id`
  if (!inserted) throw new Error('A file was not stored.')
  return inserted.id
}

/** One statement of a file, and what became of it. */
export type PartRow = {
  fileId: bigint
  position: number
  account: string
  asset: string | null
  number: bigint | null
  entries: number
  state: FileState | 'ignored'
  cause: string | null
  why: string
  difference: bigint | null
}

const parts = rowWriter<PartRow>('iso20022_parts', {
  fileId: 'bigint',
  position: 'integer',
  account: 'text',
  asset: 'text',
  number: 'bigint',
  entries: 'integer',
  state: 'text',
  cause: 'text',
  why: 'text',
  difference: 'numeric',
})

/** Notes what became of each statement of a file, instead of what was noted before. */
export function keepParts(db: Atomic, fileId: bigint, rows: readonly PartRow[]): void {
  db.send`delete from iso20022_parts where file_id = ${fileId}`
  parts.insert(db, rows)
}

/** Why the parts of a file were refused before it was accepted. */
export const partsBefore = (db: Db, fileId: bigint): Promise<{ position: number; cause: string | null }[]> =>
  db.sql`select position, cause from iso20022_parts where file_id = ${fileId}`

/** Whether a person has said that an account is not ours to book. */
export const isIgnored = async (db: Db, rail: string, account: string): Promise<boolean> =>
  (
    await db.sql`
      select 1 from iso20022_ignored_accounts where rail = ${rail} and account = ${account} and ended_at is null`
  ).length > 0

/** A file that waits in the folder of refused ones. */
export type WaitingFile = { id: bigint; name: string; checksum: string; wanted: 'accept' | 'read' | null }

/** Refused files that are still to be dealt with. */
export const openRefused = (db: Db, rail: string): Promise<WaitingFile[]> =>
  db.sql`
    select id, name, checksum, wanted from iso20022_files
    where rail = ${rail} and state = 'refused' and cleared_at is null order by id limit 1000`

/** Files that a person wants read again or accepted, and those whose statement may continue one that has come since. */
export const filesToRead = (db: Db, rail: string): Promise<WaitingFile[]> =>
  db.sql`
    select id, name, checksum, wanted from iso20022_files as file
    where rail = ${rail} and (wanted is not null or state = 'refused' and cleared_at is null
      and exists (select 1 from iso20022_parts where file_id = file.id and cause = 'opening_differs'))
    order by id limit 1000`

/** Notes that a person's order about a file is done, or cannot be. */
export const endOrder = (db: Db, id: bigint): Promise<unknown[]> =>
  db.sql`update iso20022_files set wanted = null where id = ${id} returning id`

/** Notes that the operator has removed refused files. */
export const clearRefused = (db: Db, ids: bigint[], at: Date): Promise<unknown[]> =>
  db.sql`update iso20022_files set cleared_at = ${at} where id = any(${ids})`
