import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Operator } from './operator.ts'
import type { OperatorToken } from './token.ts'

/** Adds an operator; false when the e-mail address is taken. */
export const insert = async (
  db: Atomic,
  { id, email, createdAt }: Operator,
  passwordHash: string,
): Promise<boolean> => {
  const rows = await db.sql`
    insert into operators (id, email, password_hash, created_at)
    values (${id}, ${email}, ${passwordHash}, ${createdAt}) on conflict (email) do nothing returning id`
  return rows.length === 1
}

/** Every operator, oldest first. */
export const all = (db: Db): Promise<Operator[]> =>
  db.sql`select id, email, created_at as "createdAt" from operators order by created_at, id`

/** The operator with an e-mail address, in lower case. */
export const byEmail = (db: Db, email: string): Promise<Operator[]> =>
  db.sql`select id, email, created_at as "createdAt" from operators where email = ${email}`

/** Keeps a token, by its hash. */
export const insertToken = (db: Atomic, { id, operatorId, hint, createdAt }: OperatorToken, hash: string): void =>
  db.send`
    insert into operator_tokens (id, operator_id, hash, hint, created_at)
    values (${id}, ${operatorId}, ${hash}, ${hint}, ${createdAt})`

/** Every token, oldest first. */
export const tokens = (db: Db): Promise<OperatorToken[]> =>
  db.sql`
    select id, operator_id as "operatorId", hint, created_at as "createdAt", last_used_at as "lastUsedAt",
      revoked_at as "revokedAt"
    from operator_tokens order by created_at, id`

/** Locks a token. */
export const lockToken = (db: Atomic, id: bigint): Promise<OperatorToken[]> =>
  db.sql`
    select id, operator_id as "operatorId", hint, created_at as "createdAt", last_used_at as "lastUsedAt",
      revoked_at as "revokedAt"
    from operator_tokens where id = ${id} for update`

/** Ends a token. */
export const revokeToken = (db: Atomic, id: bigint, at: Date): void =>
  db.send`update operator_tokens set revoked_at = ${at} where id = ${id}`

/** Marks a token that is good as used, and gives whose it is; nothing for any other. */
export const useToken = (db: Db, hash: string, at: Date): Promise<Operator[]> =>
  db.sql`
    update operator_tokens set last_used_at = ${at} from operators
    where hash = ${hash} and revoked_at is null and operators.id = operator_id
    returning operators.id, email, operators.created_at as "createdAt"`
