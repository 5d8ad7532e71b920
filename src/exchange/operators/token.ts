import { hash } from 'node:crypto'

import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { type Operator, operatorSubject } from './operator.ts'
import * as queries from './queries.ts'

/** By which the command line knows an operator. `hint` is its last four characters; times are real. */
export type OperatorToken = {
  id: bigint
  operatorId: bigint
  hint: string
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

const form = /^op_[\w-]{43}$/

/**
 * Makes a token for the operator of an e-mail address: `op_` and 256 random bits. The text is shown this once; as of an API
 * key, only its SHA-256 is kept, because nobody can guess so many bits. Refuses an address that no operator has.
 */
export async function createToken(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  email: string,
  actor: string,
): Promise<{ token: OperatorToken; text: string }> {
  const text = `op_${randomToken(32)}`
  const at = ctx.clock.realNow()
  return ctx.db.atomic(async (db) => {
    const [operator] = await queries.byEmail(db, email.toLowerCase())
    if (!operator) throw new Refusal('NOT_FOUND', 'There is no operator with this e-mail address.')
    const made = { id: randomId(), operatorId: operator.id, hint: text.slice(-4), createdAt: at }
    const token = { ...made, lastUsedAt: null, revokedAt: null }
    queries.insertToken(db, token, hashOf(text))
    record(ctx, db, { actor, action: 'operator_token.created', token, before: null, after: shown(token) })
    return { token, text }
  })
}

/** Every token, revoked ones too, oldest first. */
export const listTokens = ({ db }: Pick<Ctx, 'db'>): Promise<OperatorToken[]> => queries.tokens(db)

/** Ends a token's life at once. One that has ended already stays as it is. Refuses an unknown id. */
export async function revokeToken(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  tokenId: bigint,
  actor: string,
): Promise<OperatorToken> {
  return ctx.db.atomic(async (db) => {
    const [token] = await queries.lockToken(db, tokenId)
    if (!token) throw new Refusal('NOT_FOUND', 'There is no such token.')
    if (token.revokedAt) return token
    const revoked = { ...token, revokedAt: ctx.clock.realNow() }
    queries.revokeToken(db, tokenId, revoked.revokedAt)
    record(ctx, db, { actor, action: 'operator_token.revoked', token, before: shown(token), after: shown(revoked) })
    return revoked
  })
}

/** Whose token this is; writes down that it was used. Refuses with INVALID_TOKEN a text that is no token, or is revoked. */
export async function operatorOfToken(ctx: Pick<Ctx, 'db' | 'clock'>, text: string): Promise<Operator> {
  const [operator] = form.test(text) ? await queries.useToken(ctx.db, hashOf(text), ctx.clock.realNow()) : []
  if (!operator) throw new Refusal('INVALID_TOKEN', 'This is no token of an operator, or it is revoked.')
  return operator
}

const hashOf = (text: string): string => hash('sha256', text, 'hex')

type Recorded = {
  actor: string
  action: string
  token: OperatorToken
  before: ReturnType<typeof shown> | null
  after: ReturnType<typeof shown>
}

const record = (
  { clock }: Pick<Ctx, 'clock'>,
  db: Parameters<typeof recordAudit>[0],
  { token, ...what }: Recorded,
): void => recordAudit(db, { at: clock.now(), subject: operatorSubject({ id: token.operatorId }), ...what })

const shown = ({ id, hint, revokedAt }: OperatorToken) => ({
  token_id: String(id),
  ends_in: hint,
  revoked_at: revokedAt?.toISOString() ?? null,
})
