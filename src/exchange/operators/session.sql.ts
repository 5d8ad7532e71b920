import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Role } from './roles.ts'

/** A session, with its operator. */
export type SessionRow = {
  id: bigint
  hash: string
  operatorId: bigint
  network: string
  agent: string
  createdAt: Date
  lastUsedAt: Date
}

export const insertSession = (
  db: Atomic,
  { id, hash, operatorId, network, agent, createdAt, stamp }: Omit<SessionRow, 'lastUsedAt'> & { stamp: Buffer },
): void =>
  db.send`
    insert into operator_sessions (id, hash, operator_id, network, agent, created_at, last_used_at, stamp)
    values (${id}, ${hash}, ${operatorId}, ${network}, ${agent}, ${createdAt}, ${createdAt}, ${stamp})`

/** Finds a session that is neither over nor idle, and notes its use at a time, at most once a minute. */
export const useSession = (
  db: Db,
  hash: string,
  { now, createdAfter, usedAfter }: { now: Date | null; createdAfter: Date; usedAfter: Date },
): Promise<
  {
    sessionId: bigint
    operatorId: bigint
    email: string
    name: string
    role: Role
    hasSecondFactor: boolean
    hasPasskey: boolean
    createdAt: Date
    stamp: Buffer | null
  }[]
> =>
  db.sql`
    with found as (
      select session.id, session.last_used_at, session.created_at, stamp, operators.id as operator_id, email, name, role, totp_step
      from operator_sessions as session join operators on operators.id = operator_id
      where hash = ${hash} and ended_at is null and session.created_at > ${createdAfter} and last_used_at > ${usedAfter}
        and disabled_at is null),
    used as (
      update operator_sessions set last_used_at = ${now}
      where id in (select id from found where last_used_at < ${now}::timestamptz - interval '1 minute'))
    select id as "sessionId", operator_id as "operatorId", email, name, role, totp_step is not null as "hasSecondFactor",
      exists (select from passkeys where passkeys.operator_id = found.operator_id) as "hasPasskey",
      created_at as "createdAt", stamp
    from found`

export const sessionsOf = (
  db: Db,
  operatorId: bigint,
  { createdAfter, usedAfter }: { createdAfter: Date; usedAfter: Date },
): Promise<SessionRow[]> =>
  db.sql`
    select id, hash, operator_id as "operatorId", network, agent, created_at as "createdAt", last_used_at as "lastUsedAt"
    from operator_sessions
    where operator_id = ${operatorId} and ended_at is null and created_at > ${createdAfter} and last_used_at > ${usedAfter}
    order by last_used_at desc`

export const endSessions = (db: Db, operatorId: bigint, sessionId: bigint | null, at: Date): Promise<unknown[]> =>
  db.sql`
    update operator_sessions set ended_at = ${at}
    where operator_id = ${operatorId} and ended_at is null and (${sessionId}::bigint is null or id = ${sessionId}::bigint)`
