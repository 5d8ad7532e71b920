import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Role } from './roles.ts'

/** What signing in needs of an operator. A second factor counts once `totpStep` is set: then a code of it was typed. */
export type OperatorRow = {
  id: bigint
  passwordHash: string
  disabledAt: Date | null
  totpSecret: Buffer | null
  totpStep: bigint | null
  failures: number
  failedAt: Date | null
}

export const operatorByEmail = (db: Db, email: string): Promise<OperatorRow[]> =>
  db.sql`
    select id, password_hash as "passwordHash", disabled_at as "disabledAt", totp_secret as "totpSecret",
      totp_step as "totpStep", failures, failed_at as "failedAt"
    from operators where email = ${email}`

/** After so many wrong attempts the next one has to wait: a minute, doubled each time, up to an hour. */
export const freeFailures = 5

/** Counts an attempt as wrong until it is right. Gives nothing while the operator has to wait, and where there is none. */
export const beginAttempt = (db: Db, email: string, at: Date): Promise<OperatorRow[]> =>
  db.sql`
    update operators set failures = least(failures + 1, 1000), failed_at = ${at}
    where email = ${email} and disabled_at is null and (failures < ${freeFailures} or failed_at is null
      or failed_at + least(60 * power(2, least(failures - ${freeFailures}, 10)), 3600) * interval '1 second' <= ${at})
    returning id, password_hash as "passwordHash", disabled_at as "disabledAt", totp_secret as "totpSecret",
      totp_step as "totpStep", failures, failed_at as "failedAt"`

/** Takes back an attempt that was right so far. */
export const endAttempt = (db: Db, operatorId: bigint): Promise<unknown[]> =>
  db.sql`update operators set failures = greatest(failures - 1, 0) where id = ${operatorId}`

/** Notes a right sign-in; `step` is the time step of its code. Gives nothing if that code was used before. */
export const succeed = (db: Db, operatorId: bigint, step: bigint | null): Promise<{ id: bigint }[]> =>
  db.sql`
    update operators set failures = 0, failed_at = null, totp_step = coalesce(${step}::bigint, totp_step)
    where id = ${operatorId} and disabled_at is null and (${step}::bigint is null or totp_step < ${step}::bigint)
    returning id`

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
  { id, hash, operatorId, network, agent, at }: Omit<SessionRow, 'createdAt' | 'lastUsedAt'> & { at: Date },
): void =>
  db.send`
    insert into operator_sessions (id, hash, operator_id, network, agent, created_at, last_used_at)
    values (${id}, ${hash}, ${operatorId}, ${network}, ${agent}, ${at}, ${at})`

/** Finds a session that is neither over nor idle, and notes its use, at most once a minute. */
export const useSession = (
  db: Db,
  hash: string,
  { now, createdAfter, usedAfter }: { now: Date; createdAfter: Date; usedAfter: Date },
): Promise<
  { sessionId: bigint; operatorId: bigint; email: string; name: string; role: Role; hasSecondFactor: boolean }[]
> =>
  db.sql`
    with found as (
      select session.id, session.last_used_at, operators.id as operator_id, email, name, role, totp_step
      from operator_sessions as session join operators on operators.id = operator_id
      where hash = ${hash} and ended_at is null and session.created_at > ${createdAfter} and last_used_at > ${usedAfter}
        and disabled_at is null),
    used as (
      update operator_sessions set last_used_at = ${now}
      where id in (select id from found where last_used_at < ${now}::timestamptz - interval '1 minute'))
    select id as "sessionId", operator_id as "operatorId", email, name, role, totp_step is not null as "hasSecondFactor"
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
