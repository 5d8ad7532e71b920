import { hash } from 'node:crypto'

import type { Atomic } from '../../platform/db/sql.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { mayAct } from '../approvals/people.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import { accessStamp, isOurAccess } from './access-stamp.ts'
import { type Operator, operatorSubject } from './operator.ts'

/** Authenticates an operator on the command line. `hint` is its last four characters; times are real time. */
export type OperatorToken = {
  id: bigint
  operatorId: bigint
  hint: string
  createdAt: Date
  lastUsedAt: Date | null
  revokedAt: Date | null
}

const format = /^op_[\w-]{43}$/

/**
 * Creates a token for an operator: `op_` and 256 random bits. The text is returned only here; only its SHA-256 is stored, which
 * is enough because so many bits cannot be guessed. Refuses an address that no operator has.
 */
export async function createToken(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets'>,
  email: string,
  actor: string,
): Promise<{ token: OperatorToken; text: string }> {
  const text = `op_${randomToken(32)}`
  return ctx.db.atomic(async (db) => {
    const [operator] = await db.sql<{ id: bigint }>`select id from operators where email = ${email.toLowerCase()}`
    if (!operator) throw new Refusal('NOT_FOUND', 'There is no operator with this e-mail address.')
    const token: OperatorToken = {
      id: randomId(),
      operatorId: operator.id,
      hint: text.slice(-4),
      createdAt: ctx.clock.realNow(),
      lastUsedAt: null,
      revokedAt: null,
    }
    const access = { kind: 'token', id: token.id, hash: hashOf(text), operatorId: operator.id } as const
    db.send`
      insert into operator_tokens (id, operator_id, hash, hint, created_at, stamp)
      values (${token.id}, ${token.operatorId}, ${access.hash}, ${token.hint}, ${token.createdAt}, ${accessStamp(ctx, access)})`
    record(ctx, db, 'operator_token.created', actor, null, token)
    return { token, text }
  })
}

/** Every token, revoked ones too, oldest first. */
export const listTokens = ({ db }: Pick<Ctx, 'db'>): Promise<OperatorToken[]> =>
  db.sql`
    select id, operator_id as "operatorId", hint, created_at as "createdAt", last_used_at as "lastUsedAt",
      revoked_at as "revokedAt"
    from operator_tokens order by created_at, id`

/** Why a token cannot be revoked; undefined: it can. */
export const whyNotRevoked = ({ revokedAt }: Pick<OperatorToken, 'revokedAt'>): string | undefined =>
  revokedAt ? 'This token has been revoked already.' : undefined

/** Revokes a token at once. Refuses an unknown id, and a token that is revoked (CONFLICT). */
export async function revokeToken(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  tokenId: bigint,
  actor: string,
): Promise<OperatorToken> {
  return ctx.db.atomic(async (db) => {
    const [token] = await db.sql<OperatorToken>`
      select id, operator_id as "operatorId", hint, created_at as "createdAt", last_used_at as "lastUsedAt",
        revoked_at as "revokedAt"
      from operator_tokens where id = ${tokenId} for update`
    if (!token) throw new Refusal('NOT_FOUND', 'There is no token with this id.')
    refuseNow(whyNotRevoked(token))
    const revoked = { ...token, revokedAt: ctx.clock.realNow() }
    db.send`update operator_tokens set revoked_at = ${revoked.revokedAt} where id = ${tokenId}`
    record(ctx, db, 'operator_token.revoked', actor, token, revoked)
    return revoked
  })
}

/**
 * Whose token this is; records its use. Refuses with INVALID_TOKEN an invalid or revoked token, and one that, or whose operator, is not as
 * the exchange wrote it.
 */
export async function operatorOfToken(ctx: Pick<Ctx, 'db' | 'clock' | 'secrets'>, text: string): Promise<Operator> {
  if (format.test(text)) {
    const hashed = hashOf(text)
    const [found] = await ctx.db.sql<Operator & { tokenId: bigint; stamp: Buffer | null; carriedOver: boolean }>`
      update operator_tokens set last_used_at = ${ctx.clock.realNow()} from operators
      where hash = ${hashed} and revoked_at is null and operators.id = operator_id and disabled_at is null
      returning operators.id, email, name, role, operators.created_at as "createdAt", disabled_at as "disabledAt",
        operator_tokens.id as "tokenId", stamp, carried_over as "carriedOver"`
    if (found) {
      const { tokenId: id, stamp, carriedOver, ...operator } = found
      const isOurs =
        carriedOver || isOurAccess(ctx, { kind: 'token', id, hash: hashed, operatorId: operator.id }, { stamp })
      if (isOurs && (await mayAct(ctx, ctx.db, operator.id))) return operator
    }
  }
  throw new Refusal('INVALID_TOKEN', 'The operator token is invalid or revoked.')
}

const hashOf = (text: string): string => hash('sha256', text, 'hex')

function record(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  action: AuditAction,
  actor: string,
  before: OperatorToken | null,
  after: OperatorToken,
): void {
  const subject = operatorSubject({ id: after.operatorId })
  recordAudit(db, { at: clock.now(), actor, action, subject, before: before && audited(before), after: audited(after) })
}

const audited = ({ id, hint, revokedAt }: OperatorToken) => ({
  token_id: String(id),
  ends_in: hint,
  revoked_at: revokedAt?.toISOString() ?? null,
})
