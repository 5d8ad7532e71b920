import { type Atomic, type Db, one } from '../../platform/db/sql.ts'
import type { AuditAsked, AuditEntry, AuditRow } from './audit.ts'

/** Adds one row; there is no query that changes or removes one, and the service's role could not. */
export const insert = (db: Atomic, { at, actor, action, subject, before, after }: AuditEntry): void =>
  db.send`
    insert into audit (at, actor, action, subject, before, after)
    values (${at}, ${actor}, ${action}, ${subject}, ${before}, ${after})`

/** The latest rows, newest first. A subject belongs to the partner that one of its rows names as `partner_id`. */
export const latest = (db: Db, { partnerId, before = null, most }: Latest): Promise<AuditRow[]> => {
  if (partnerId === undefined) {
    return db.sql<AuditRow>`
      select id, at, actor, action, subject, before, after from audit
      where ${before}::bigint is null or id < ${before}
      order by id desc limit ${most}`
  }
  return db.sql<AuditRow>`
    select id, at, actor, action, subject, before, after from audit
    where (${before}::bigint is null or id < ${before})
      and (subject = ${`partner:${partnerId}`}
        or subject in (select subject from audit where after ->> 'partner_id' = ${String(partnerId)}))
    order by id desc limit ${most}`
}

type Latest = Omit<AuditAsked, 'before'> & { before?: bigint | null | undefined }

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
