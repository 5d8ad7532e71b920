import { type Atomic, type Db, one } from '../db/sql.ts'
import type { AuditEntry } from './audit.ts'

/** Adds one row; there is no query that changes or removes one, and the service's role could not. */
export const insert = (db: Atomic, { at, actor, action, subject, before, after }: AuditEntry): void =>
  db.send`
    insert into audit (at, actor, action, subject, before, after)
    values (${at}, ${actor}, ${action}, ${subject}, ${before}, ${after})`

/** All rows about one subject, oldest first. */
export const ofSubject = (db: Db, subject: string): Promise<AuditEntry[]> =>
  db.sql<AuditEntry>`
    select at, actor, action, subject, before, after from audit where subject = ${subject} order by id`

/** One more, whoever else is raising it. */
export const raiseVersion = (db: Atomic): void => db.send`update service_state set version = version + 1`

/** The version as last committed. */
export const version = async (db: Db): Promise<bigint> =>
  one(await db.sql<{ version: bigint }>`select version from service_state`).version

/** Everything that processes share beside their tables. */
export const shared = async (db: Db): Promise<{ version: bigint; clock_offset_ms: bigint }> =>
  one(await db.sql`select version, clock_offset_ms from service_state`)
