import type { Atomic, Db } from '../../../platform/db/sql.ts'

/** Whether a file with these bytes was taken before. */
export const isTaken = async (db: Db, rail: string, checksum: string): Promise<boolean> =>
  (await db.sql`select id from iso20022_files where rail = ${rail} and checksum = ${checksum} and state = 'taken'`)
    .length > 0

/** A file from the bank. */
export type FileRow = { rail: string; name: string; checksum: string; message: string | null; at: Date }

/** Notes that a file is taken. Gives nothing where one with the same bytes was. */
export const insertTaken = (db: Atomic, { rail, name, checksum, message, at }: FileRow): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into iso20022_files (rail, name, checksum, message, state, received_at)
    values (${rail}, ${name}, ${checksum}, ${message}, 'taken', ${at})
    on conflict (rail, checksum) where state = 'taken' do nothing returning id`

/** Notes that a file was refused, and why. */
export const insertRefused = (db: Db, { rail, name, checksum, at }: FileRow, reason: string): Promise<unknown[]> =>
  db.sql`
    insert into iso20022_files (rail, name, checksum, state, reason, received_at)
    select ${rail}, ${name}, ${checksum}, 'refused', ${reason}, ${at} where not exists (
      select 1 from iso20022_files
      where rail = ${rail} and name = ${name} and checksum = ${checksum} and state = 'refused' and cleared_at is null)`

/** Refused files that are still to be dealt with. */
export const openRefused = (
  db: Db,
  rail: string,
): Promise<{ id: bigint; name: string; reason: string; received_at: Date }[]> =>
  db.sql`
    select id, name, reason, received_at from iso20022_files
    where rail = ${rail} and state = 'refused' and cleared_at is null order by id limit 1000`

/** Notes that the operator has removed refused files. */
export const clearRefused = (db: Db, ids: bigint[], at: Date): Promise<unknown[]> =>
  db.sql`update iso20022_files set cleared_at = ${at} where id = any(${ids})`
