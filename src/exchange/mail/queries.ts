import type { Atomic, Db } from '../../platform/db/sql.ts'

/** A letter as it is stored. */
export type MailRow = {
  id: bigint
  toHash: Buffer
  dataKeyId: bigint
  letter: Buffer
  transactionId: bigint | null
  at: Date
  sentAt: Date | null
}

/** Stores a letter. */
export const insert = (db: Atomic, row: MailRow): void =>
  db.send`
    insert into mails (id, to_hash, data_key_id, letter, transaction_id, at, sent_at)
    values (${row.id}, ${row.toHash}, ${row.dataKeyId}, ${row.letter}, ${row.transactionId}, ${row.at}, ${row.sentAt})`

/** Letters that are still to be sent, of those named. */
export const unsent = (db: Db, ids: bigint[]): Promise<Pick<MailRow, 'id' | 'dataKeyId' | 'letter'>[]> =>
  db.sql`
    select id, data_key_id as "dataKeyId", letter from mails
    where id = any(${ids}) and sent_at is null and refused is null`

/** Writes down that a letter has left (business time). */
export const markSent = (db: Atomic, id: bigint, at: Date): void =>
  db.send`update mails set sent_at = ${at} where id = ${id}`

/** Writes down with which reply code the mail server refused a letter for good. */
export const markRefused = (db: Atomic, id: bigint, code: number): void =>
  db.send`update mails set refused = ${code} where id = ${id}`

/** Stored letters, newest first: to one address, and about one partner's transactions, where these are given. */
export const newest = (
  db: Db,
  { toHash, partnerId, limit }: { toHash: Buffer | null; partnerId: bigint | null; limit: number },
): Promise<Pick<MailRow, 'id' | 'dataKeyId' | 'letter' | 'at'>[]> =>
  db.sql`
    select id, data_key_id as "dataKeyId", letter, at from mails
    where (${toHash}::bytea is null or to_hash = ${toHash})
      and (${partnerId}::bigint is null or exists (
        select from transactions where transactions.id = mails.transaction_id and partner_id = ${partnerId}))
    order by at desc, id desc limit ${limit}`
