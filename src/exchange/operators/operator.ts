import { randomId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { hashPassword, isPassword, passwordProblem } from '../sign-in/password.ts'
import { makeRecoveryCodes } from './recovery.ts'
import { isRole, permissionsOf, type Role, roles } from './roles.ts'
import { countAttempt } from '../sign-in/limits.ts'
import { makeTotpSecret, totpStep, totpUri } from './totp.ts'

/** A member of the staff of the company that runs the service. */
export type Operator = { id: bigint; email: string; name: string; role: Role; createdAt: Date; disabledAt: Date | null }

/** Who is to become an operator. The role is `admin` unless given. */
export type NewOperator = { email: string; password: string; role?: string | undefined; name?: string | undefined }

/**
 * Creates an operator. E-mail addresses are compared case-folded. Refuses an invalid or taken e-mail address, an unknown role, and
 * a password that is too short or easy to guess.
 */
export async function createOperator(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { email, password, role = 'admin', name = '' }: NewOperator,
  actor: string,
): Promise<Operator> {
  if (!isEmailAddress(email)) throw new Refusal('BAD_REQUEST', 'Invalid e-mail address.')
  const problem = passwordProblem(password, email)
  if (problem !== undefined) throw new Refusal('BAD_REQUEST', problem)
  const operator: Operator = {
    id: randomId(),
    email: email.toLowerCase(),
    name: name.trim().slice(0, 100),
    role: readRole(role),
    createdAt: ctx.clock.now(),
    disabledAt: null,
  }
  const passwordHash = await hashPassword(password)
  return ctx.db.atomic(async (db) => {
    const inserted = await db.sql`
      insert into operators (id, email, password_hash, role, name, created_at)
      values (${operator.id}, ${operator.email}, ${passwordHash}, ${operator.role}, ${operator.name}, ${operator.createdAt})
      on conflict (email) do nothing returning id`
    if (inserted.length === 0) throw new Refusal('CONFLICT', 'An operator with this e-mail address already exists.')
    record(ctx, db, operator.id, actor, 'operator.created', {
      before: null,
      after: { email: operator.email, role: operator.role },
    })
    return operator
  })
}

/** Roughly an address: an e-mail that arrives is the proof. */
export const isEmailAddress = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(text)

/** A role by its name. BAD_REQUEST for an unknown one. */
export function readRole(text: string): Role {
  if (!isRole(text)) throw new Refusal('BAD_REQUEST', `A role is one of: ${roles.join(', ')}.`)
  return text
}

/** An operator in the audit, as actor and as subject. */
export const operatorSubject = ({ id }: Pick<Operator, 'id'>): string => `operator:${id}`

/** Where the secret of an operator's second factor is sealed for. */
export const totpPlace = (operatorId: bigint): string => `operators:${operatorId}:totp`

/** Every operator, oldest first. */
export const listOperators = ({ db }: Pick<Ctx, 'db'>): Promise<Operator[]> =>
  db.sql`
    select id, email, name, role, created_at as "createdAt", disabled_at as "disabledAt"
    from operators order by created_at, id`

/**
 * Gives an operator another role, at once in every session; without `team.manage`, invitations that the operator has sent end. NOT_FOUND
 * for an unknown address. The last administrator stays one.
 */
export const changeRole = (
  ctx: Pick<Ctx, 'db' | 'clock'>,
  email: string,
  role: string,
  actor: string,
): Promise<Operator> =>
  change(ctx, email, actor, 'operator.role_changed', (operator) => ({ ...operator, role: readRole(role) }))

/** Ends an operator's access: sessions, tokens and sent invitations stop working at once. The last administrator cannot be disabled. */
export const disableOperator = (ctx: Pick<Ctx, 'db' | 'clock'>, email: string, actor: string): Promise<Operator> =>
  change(ctx, email, actor, 'operator.disabled', (operator) => ({ ...operator, disabledAt: ctx.clock.now() }))

function change(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  email: string,
  actor: string,
  action: string,
  changed: (operator: Operator) => Operator,
): Promise<Operator> {
  return ctx.db.atomic(async (db) => {
    // All are locked in one order, so that two administrators cannot remove each other at once.
    const all = await db.sql<Operator>`
      select id, email, name, role, created_at as "createdAt", disabled_at as "disabledAt"
      from operators order by id for update`
    const before = all.find((one) => one.email === email.trim().toLowerCase())
    if (!before) throw new Refusal('NOT_FOUND', 'There is no operator with this e-mail address.')
    const after = changed(before)
    const isAdmin = (one: Operator): boolean => one.role === 'admin' && one.disabledAt === null
    if (isAdmin(before) && !isAdmin(after) && all.filter(isAdmin).length === 1)
      throw new Refusal('CONFLICT', 'This is the last administrator.')
    db.send`update operators set role = ${after.role}, disabled_at = ${after.disabledAt} where id = ${after.id}`
    if (after.disabledAt) {
      db.send`update operator_sessions set ended_at = ${ctx.clock.realNow()} where operator_id = ${after.id} and ended_at is null`
      db.send`update operator_tokens set revoked_at = ${ctx.clock.realNow()} where operator_id = ${after.id} and revoked_at is null`
    }
    // An operator who leaves must not come back by an invitation of their own.
    if (after.disabledAt || !permissionsOf[after.role].has('team.manage'))
      db.send`delete from operator_invitations where invited_by = ${operatorSubject(after)} and used_at is null`
    record(ctx, db, after.id, actor, action, { before: audited(before), after: audited(after) })
    return after
  })
}

const audited = ({ role, disabledAt }: Operator) => ({ role, disabled_at: disabledAt?.toISOString() ?? null })

/**
 * Changes an operator's own password and ends the operator's other sessions. Refuses with INVALID_TOKEN a wrong present password (which
 * counts as a wrong attempt to sign in), and a new one that is too short or easy to guess.
 */
export async function changePassword(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  { operatorId, email, sessionId }: { operatorId: bigint; email: string; sessionId: bigint },
  { present, next }: { present: string; next: string },
): Promise<void> {
  const problem = passwordProblem(next, email)
  if (problem !== undefined) throw new Refusal('BAD_REQUEST', problem)
  const counted = await countAttempt(ctx, { email, network: '', device: `session ${sessionId}` })
  const [known] = await ctx.db.sql<{
    hash: string
  }>`select password_hash as hash from operators where id = ${operatorId}`
  if (!known || !(await isPassword(present, known.hash)))
    throw new Refusal('INVALID_TOKEN', 'The present password is wrong.')
  await counted.takeBack(true)
  const passwordHash = await hashPassword(next)
  await ctx.db.atomic(async (db) => {
    db.send`update operators set password_hash = ${passwordHash} where id = ${operatorId}`
    endOtherSessions(ctx, db, operatorId, sessionId)
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.password_changed', {
      before: null,
      after: null,
    })
  })
}

function endOtherSessions(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  operatorId: bigint,
  sessionId: bigint | undefined,
): void {
  db.send`
    update operator_sessions set ended_at = ${clock.realNow()}
    where operator_id = ${operatorId} and ended_at is null and id is distinct from ${sessionId ?? null}::bigint`
  db.send`delete from pending_sign_ins where operator_id = ${operatorId}`
}

/**
 * Makes new recovery codes with a code of the second factor. The texts are returned only here; earlier ones stop working. INVALID_TOKEN
 * for a wrong code.
 */
export async function renewRecoveryCodes(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  operatorId: bigint,
  code: string,
): Promise<string[]> {
  await useSecondFactor(ctx, operatorId, code)
  return ctx.db.atomic(async (db) => {
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.recovery_codes_made', {
      before: null,
      after: null,
    })
    return makeRecoveryCodes(ctx, db, operatorId)
  })
}

/** Removes the second factor with a code of it, so that another one can be set up. INVALID_TOKEN for a wrong code. */
export async function removeSecondFactor(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  operatorId: bigint,
  code: string,
): Promise<void> {
  await useSecondFactor(ctx, operatorId, code)
  await ctx.db.atomic(async (db) => {
    db.send`update operators set totp_secret = null, totp_step = null where id = ${operatorId}`
    db.send`delete from recovery_codes where operator_id = ${operatorId}`
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.second_factor_removed', {
      before: null,
      after: null,
    })
  })
}

/**
 * Begins to set up a second factor, and gives the secret to scan or type. It counts once a code of it is confirmed; until then the
 * earlier one does, if there is one.
 */
export async function beginSecondFactor(
  { db, secrets }: Pick<Ctx, 'db' | 'secrets'>,
  { operatorId, email }: { operatorId: bigint; email: string },
): Promise<{ text: string; uri: string }> {
  const [known] = await db.sql<{ totp_secret: Buffer | null; totp_step: bigint | null }>`
    select totp_secret, totp_step from operators where id = ${operatorId}`
  if (known?.totp_step) throw new Refusal('CONFLICT', 'A second factor is already set up.')
  // A new one each time: who saw an earlier page knows nothing of what is confirmed later.
  const secret = makeTotpSecret()
  await db.sql`
    update operators set totp_secret = ${seal(secrets.sealing, secret, totpPlace(operatorId))}
    where id = ${operatorId} and totp_step is null`
  return totpUri(secret, email)
}

/**
 * Confirms the second factor with a code of it: from now on signing in needs one, and the operator's other sessions end. Gives
 * recovery codes, which are returned only here. BAD_REQUEST for a wrong code.
 */
export async function confirmSecondFactor(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets'>,
  operatorId: bigint,
  code: string,
  sessionId?: bigint,
): Promise<string[]> {
  const [known] = await ctx.db.sql<{ totp_secret: Buffer | null; totp_step: bigint | null }>`
    select totp_secret, totp_step from operators where id = ${operatorId}`
  if (!known?.totp_secret || known.totp_step !== null)
    throw new Refusal('CONFLICT', 'There is no second factor to confirm.')
  const secret = unseal(ctx.secrets.sealing, known.totp_secret, totpPlace(operatorId))
  const step = totpStep(secret, code, { now: ctx.clock.realNow(), lastStep: null })
  if (step === undefined) throw new Refusal('BAD_REQUEST', 'This code is wrong. Codes change every 30 seconds.')
  return ctx.db.atomic(async (db) => {
    db.send`update operators set totp_step = ${step} where id = ${operatorId} and totp_step is null`
    // Sessions that began with the password alone end.
    endOtherSessions(ctx, db, operatorId, sessionId)
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.second_factor_set', {
      before: null,
      after: null,
    })
    return makeRecoveryCodes(ctx, db, operatorId)
  })
}

/**
 * Uses up a code of an operator's second factor, for an action that asks for one. Nothing is asked of an operator without one. INVALID_TOKEN
 * for a wrong code, and for one that was used before; RATE_LIMITED after five wrong ones in 15 minutes.
 */
export async function useSecondFactor(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  operatorId: bigint,
  code: string,
): Promise<void> {
  const [known] = await ctx.db.sql<{ totp_secret: Buffer | null; totp_step: bigint | null }>`
    select totp_secret, totp_step from operators where id = ${operatorId}`
  if (!known?.totp_secret || known.totp_step === null) return
  const counted = await countAttempt(ctx, { email: '', network: '', device: `factor of ${operatorId}` })
  const secret = unseal(ctx.secrets.sealing, known.totp_secret, totpPlace(operatorId))
  const step = totpStep(secret, code, { now: ctx.clock.realNow(), lastStep: known.totp_step })
  const used =
    step === undefined
      ? []
      : await ctx.db.sql`
    update operators set totp_step = ${step} where id = ${operatorId} and totp_step < ${step} returning id`
  if (used.length === 0)
    throw new Refusal('INVALID_TOKEN', 'This code is wrong, or was used before. Wait for the next one.')
  await counted.takeBack(true)
}

function record(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  operatorId: bigint,
  actor: string,
  action: string,
  values: { before: Record<string, unknown> | null; after: Record<string, unknown> | null },
): void {
  recordAudit(db, { at: clock.now(), actor, action, subject: operatorSubject({ id: operatorId }), ...values })
}
