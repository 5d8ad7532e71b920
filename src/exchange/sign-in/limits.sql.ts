import type { Db } from '../../platform/db/sql.ts'

/** Counts a wrong attempt under a key. A count whose time is over begins again. */
export const countFailure = (
  db: Db,
  { key, until }: { key: Buffer; until: Date },
  now: Date,
): Promise<{ failures: number; until: Date }[]> =>
  db.sql`
    insert into sign_in_failures as known (key, failures, until) values (${key}, 1, ${until})
    on conflict (key) do update set
      failures = case when known.until > ${now} then least(known.failures + 1, 1000000) else 1 end,
      until = case when known.until > ${now} then known.until else excluded.until end
    returning failures, until`

export const findFailures = (db: Db, key: Buffer, now: Date): Promise<{ failures: number }[]> =>
  db.sql`select failures from sign_in_failures where key = ${key} and until > ${now}`

/** Takes back one wrong attempt under each key, and all of them under one. */
export const takeBackFailure = (db: Db, keys: readonly Buffer[], all: Buffer | undefined): Promise<unknown[]> =>
  db.sql`
    update sign_in_failures
    set failures = case when key = ${all ?? null}::bytea then 0 else greatest(failures - 1, 0) end
    where key = any(${keys}::bytea[])`

export const forgetFailures = (db: Db, now: Date): Promise<unknown[]> =>
  db.sql`delete from sign_in_failures where until < ${now}`
