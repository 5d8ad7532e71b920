import type { Atomic } from '../db/sql.ts'
import type { Operator } from './operator.ts'

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
