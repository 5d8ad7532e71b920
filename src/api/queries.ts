import type { Atomic, Db } from '../db/sql.ts'

/** Whether the database answers, and takes writes. */
export const ping = async (db: Db): Promise<boolean> => {
  const [row] = await db.sql<{ standby: boolean }>`select pg_is_in_recovery() as standby`
  return row?.standby === false
}

/** A stored answer, as it is found under an idempotency key. */
export type StoredAnswer = { request_hash: Buffer; status: number; data_key_id: bigint; answer: Buffer }

/** Takes the lock of an idempotency key until the block ends; false when another request holds it. */
export const tryLock = async (db: Atomic, lock: bigint): Promise<boolean> => {
  const [row] = await db.sql<{ got: boolean }>`select pg_try_advisory_xact_lock(${lock}) as got`
  return row?.got === true
}

/** The answer under a key, unless it is older than `since` (real time). */
export const storedAnswer = async (
  db: Db,
  { keyId, keyHash, since }: { keyId: bigint; keyHash: Buffer; since: Date },
): Promise<StoredAnswer | undefined> =>
  (
    await db.sql<StoredAnswer>`
      select request_hash, status, data_key_id, answer from idempotent_answers
      where api_key_id = ${keyId} and key_hash = ${keyHash} and answered_at > ${since}`
  )[0]

/** Keeps an answer, in place of one that had grown too old. */
export const keepAnswer = (
  db: Atomic,
  { keyId, keyHash, at, ...kept }: StoredAnswer & { keyId: bigint; keyHash: Buffer; at: Date },
): void =>
  db.send`
    insert into idempotent_answers (api_key_id, key_hash, request_hash, status, data_key_id, answer, answered_at)
    values (${keyId}, ${keyHash}, ${kept.request_hash}, ${kept.status}, ${kept.data_key_id}, ${kept.answer}, ${at})
    on conflict (api_key_id, key_hash) do update set
      request_hash = excluded.request_hash, status = excluded.status, data_key_id = excluded.data_key_id,
      answer = excluded.answer, answered_at = excluded.answered_at`

/** Removes up to a thousand answers that are older than `since`; tells how many there were. */
export const forgetAnswers = async (db: Db, since: Date): Promise<number> =>
  (
    await db.sql`
      delete from idempotent_answers where (api_key_id, key_hash) in (
        select api_key_id, key_hash from idempotent_answers where answered_at <= ${since} order by answered_at limit 1000)
      returning 1`
  ).length
