import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { hashPassword } from './password.ts'
import * as queries from './queries.ts'

/** One of the staff of the company that runs the service. */
export type Operator = { id: bigint; email: string; createdAt: Date }

const leastPassword = 12

/**
 * Makes an operator. E-mail addresses are compared case-folded. Refuses what is no e-mail address, a password under
 * 12 characters (or over 200), and an address that an operator has already.
 */
export async function createOperator(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { email, password }: { email: string; password: string },
  actor: string,
): Promise<Operator> {
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw new Refusal('BAD_REQUEST', 'This is not an e-mail address.')
  if (password.length < leastPassword || password.length > 200) {
    throw new Refusal('BAD_REQUEST', `A password has at least ${leastPassword} and at most 200 characters.`)
  }
  const operator: Operator = { id: randomId(), email: email.toLowerCase(), createdAt: ctx.clock.now() }
  const passwordHash = await hashPassword(password)
  return ctx.db.atomic(async (db) => {
    if (!(await queries.insert(db, operator, passwordHash)))
      throw new Refusal('CONFLICT', 'There is such an operator already.')
    const subject = operatorSubject(operator)
    const after = { email: operator.email }
    recordAudit(db, { at: operator.createdAt, actor, action: 'operator.created', subject, before: null, after })
    return operator
  })
}

/** How the audit names an operator, as who acts and as what is acted on. */
export const operatorSubject = ({ id }: Pick<Operator, 'id'>): string => `operator:${id}`

/** Every operator, oldest first. */
export const listOperators = ({ db }: Pick<Ctx, 'db'>): Promise<Operator[]> => queries.all(db)
