import type { Atomic, Db } from '../db/sql.ts'

/** Stores wrapped keys under their ids. */
export const insert = (db: Atomic, ids: bigint[], wrapped: Buffer[]): void =>
  db.send`insert into data_keys (id, wrapped) select * from unnest(${ids}::bigint[], ${wrapped}::bytea[])`

/** The wrapped keys with these ids; null where the key has been erased. */
export const find = (db: Db, ids: bigint[]): Promise<{ id: bigint; wrapped: Buffer | null }[]> =>
  db.sql`select id, wrapped from data_keys where id = any(${ids})`

/** Groups keys under the customer whose data they encrypt. */
export const own = (db: Atomic, ids: bigint[], owner: bigint): void =>
  db.send`update data_keys set owner = ${owner} where id = any(${ids}) and owner is distinct from ${owner}`
