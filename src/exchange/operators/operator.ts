import { randomId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { hashPassword } from './password.ts'

/** A member of the staff of the company that runs the service. */
export type Operator = { id: bigint; email: string; createdAt: Date }

const minPasswordLength = 12
const maxPasswordLength = 200

/**
 * Creates an operator. E-mail addresses are compared case-folded. Refuses an invalid or taken e-mail address and a password
 * of the wrong length.
 */
export async function createOperator(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { email, password }: { email: string; password: string },
  actor: string,
): Promise<Operator> {
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw new Refusal('BAD_REQUEST', 'Invalid e-mail address.')
  if (password.length < minPasswordLength || password.length > maxPasswordLength) {
    throw new Refusal('BAD_REQUEST', `A password has ${minPasswordLength} to ${maxPasswordLength} characters.`)
  }
  const operator: Operator = { id: randomId(), email: email.toLowerCase(), createdAt: ctx.clock.now() }
  const passwordHash = await hashPassword(password)
  return ctx.db.atomic(async (db) => {
    const inserted = await db.sql`
      insert into operators (id, email, password_hash, created_at)
      values (${operator.id}, ${operator.email}, ${passwordHash}, ${operator.createdAt})
      on conflict (email) do nothing returning id`
    if (inserted.length === 0) throw new Refusal('CONFLICT', 'An operator with this e-mail address already exists.')
    recordAudit(db, {
      at: operator.createdAt,
      actor,
      action: 'operator.created',
      subject: operatorSubject(operator),
      before: null,
      after: { email: operator.email },
    })
    return operator
  })
}

/** An operator in the audit, as actor and as subject. */
export const operatorSubject = ({ id }: Pick<Operator, 'id'>): string => `operator:${id}`

/** Every operator, oldest first. */
export const listOperators = ({ db }: Pick<Ctx, 'db'>): Promise<Operator[]> =>
  db.sql`select id, email, created_at as "createdAt" from operators order by created_at, id`
