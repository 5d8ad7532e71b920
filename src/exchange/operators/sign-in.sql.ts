import type { Db } from '../../platform/db/sql.ts'

/** What signing in needs of an operator. A second factor counts once `totpStep` is set: then a code of it was typed. */
export type OperatorRow = {
  id: bigint
  email: string
  passwordHash: string
  totpSecret: Buffer | null
  totpStep: bigint | null
  hasPasskey: boolean
}

/** The operator with an e-mail address, unless disabled. */
export const operatorByEmail = (db: Db, email: string): Promise<OperatorRow[]> =>
  db.sql`
    select id, email, password_hash as "passwordHash", totp_secret as "totpSecret", totp_step as "totpStep",
      exists (select from passkeys where passkeys.operator_id = operators.id) as "hasPasskey"
    from operators where email = ${email} and disabled_at is null`

/** The operator whose password was right in this browser since a time, unless disabled. */
export const operatorOfPending = (
  db: Db,
  hash: string,
  since: Date,
): Promise<(OperatorRow & { stamp: Buffer | null })[]> =>
  db.sql`
    select id, stamp, email, password_hash as "passwordHash", totp_secret as "totpSecret", totp_step as "totpStep",
      exists (select from passkeys where passkeys.operator_id = operators.id) as "hasPasskey"
    from pending_sign_ins join operators on operators.id = operator_id
    where hash = ${hash} and pending_sign_ins.created_at > ${since} and disabled_at is null`

export const insertPending = (
  db: Db,
  { hash, operatorId, at, stamp }: { hash: string; operatorId: bigint; at: Date; stamp: Buffer },
): Promise<unknown[]> =>
  db.sql`
    insert into pending_sign_ins (hash, operator_id, created_at, stamp) values (${hash}, ${operatorId}, ${at}, ${stamp})`

/** Ends what an operator has begun in other browsers, too, and what was begun before a time. */
export const endPending = (db: Db, operatorId: bigint, before: Date): Promise<unknown[]> =>
  db.sql`delete from pending_sign_ins where operator_id = ${operatorId} or created_at <= ${before}`

/** Uses up the time step of a code. Gives nothing if that code was used before, or the operator is disabled. */
export const useStep = (db: Db, operatorId: bigint, step: bigint | null): Promise<{ id: bigint }[]> =>
  db.sql`
    update operators set totp_step = coalesce(${step}::bigint, totp_step)
    where id = ${operatorId} and disabled_at is null and (${step}::bigint is null or totp_step < ${step}::bigint)
    returning id`

/** Replaces an operator's recovery codes. */
export const keepRecoveryCodes = (db: Db, operatorId: bigint, hashes: readonly Buffer[]): Promise<unknown[]> =>
  db.sql`
    with old as (delete from recovery_codes where operator_id = ${operatorId})
    insert into recovery_codes (operator_id, hash) select ${operatorId}, hash from unnest(${hashes}::bytea[]) as new (hash)`

/** Uses up a recovery code; gives nothing if there is no such unused one. */
export const useRecoveryCode = (db: Db, operatorId: bigint, hash: Buffer, at: Date): Promise<unknown[]> =>
  db.sql`
    update recovery_codes set used_at = ${at}
    where operator_id = ${operatorId} and hash = ${hash} and used_at is null returning 1`

export const recoveryCodesLeft = (db: Db, operatorId: bigint): Promise<{ left: number }[]> =>
  db.sql`select count(*)::integer as left from recovery_codes where operator_id = ${operatorId} and used_at is null`
