import type { Atomic, Db } from '../platform/db/sql.ts'

/** A callback as it is owed. */
export type CallbackRow = { rail: string; body: string; dueAt: Date; transferId: bigint | null }

/** Owes callbacks to the merchant. Gives their ids, and when each is due. */
export const insertCallbacks = (db: Db, rows: CallbackRow[]): Promise<{ id: bigint; next_at: Date }[]> =>
  db.sql`
    insert into sandbox.callbacks (rail, body, next_at, transfer_id)
    select * from unnest(
      ${rows.map((row) => row.rail)}::text[], ${rows.map((row) => row.body)}::json[],
      ${rows.map((row) => row.dueAt.toISOString())}::timestamptz[], ${rows.map((row) => row.transferId)}::bigint[])
    returning id, next_at`

/** Takes callbacks that are owed: they are gone when the block commits. */
export const takeCallbacks = (db: Atomic, ids: bigint[]): Promise<{ id: bigint; rail: string; body: string }[]> =>
  db.sql`delete from sandbox.callbacks where id = any(${ids}) returning id, rail, body::text as body`

/** Drops callbacks about transfers that were dropped. */
export const dropCallbacks = (db: Atomic, transferIds: bigint[]): void =>
  db.send`delete from sandbox.callbacks where transfer_id = any(${transferIds})`

/** Arms a fault: the next call about this reference goes wrong in that way. */
export const armFault = (db: Db, reference: string, type: string, at: Date): Promise<unknown[]> =>
  db.sql`insert into sandbox.faults (reference, type, armed_at) values (${reference}, ${type}, ${at})`

/** Takes armed faults of one type, so that each strikes once. */
export const takeFaults = (db: Db, references: string[], type: string): Promise<{ reference: string }[]> =>
  db.sql`delete from sandbox.faults where reference = any(${references}) and type = ${type} returning reference`

/** The same of several types at once, each with its type. */
export const takeFaultsOf = (
  db: Db,
  references: string[],
  types: string[],
): Promise<{ reference: string; type: string }[]> =>
  db.sql`
    delete from sandbox.faults where reference = any(${references}) and type = any(${types}) returning reference, type`
