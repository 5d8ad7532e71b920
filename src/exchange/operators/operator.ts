import { randomId } from '../../platform/lib/ids.ts'
import { badField, fieldRefusal, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { seal, unseal } from '../../platform/privacy/seal.ts'
import { strangers, totpPlace } from '../approvals/people.ts'
import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { hashPassword, passwordProblem } from '../sign-in/password.ts'
import { usePresentPassword } from './present-password.ts'
import { makeRecoveryCodes } from './recovery.ts'
import { isAdmin, whyNotEnabled, whyStaysAdmin } from './operator-rules.ts'
import { permissionsOf, readRole, type Role } from './roles.ts'
import { makeTotpSecret, totpStep, totpUri } from './totp.ts'
import { useSecondFactor } from './second-factor.ts'
import { changedBehind, changeOwn, vouchFor } from './written.ts'

/** A member of the staff of the company that runs the service. */
export type Operator = { id: bigint; email: string; name: string; role: Role; createdAt: Date; disabledAt: Date | null }

/** Who is to become an operator. The role is `admin` unless given. */
export type NewOperator = { email: string; password: string; role?: string | undefined; name?: string | undefined }

/** What says that an e-mail address is an operator's. */
export const emailTaken = (): Refusal =>
  fieldRefusal('CONFLICT', 'email', 'An operator with this e-mail address already exists.')

/**
 * Creates an operator. E-mail addresses are compared case-folded. Refuses an invalid or taken e-mail address, an unknown role, and
 * a password that is too short or easy to guess. `then` is done in the block that creates the operator.
 */
export async function createOperator(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  { email, password, role = 'admin', name = '' }: NewOperator,
  actor: string,
  then?: (db: Atomic, operator: Operator) => Promise<unknown>,
): Promise<Operator> {
  if (!isEmailAddress(email)) throw badField('email', 'Invalid e-mail address.')
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
    if (inserted.length === 0) throw emailTaken()
    await vouchFor(ctx, db, operator.id, actor)
    record(ctx, db, operator.id, actor, 'operator.created', {
      before: null,
      after: { email: operator.email, role: operator.role },
    })
    await then?.(db, operator)
    return operator
  })
}

/** Roughly an address: an e-mail that arrives is the proof. */
export const isEmailAddress = (text: string): boolean => /^[^\s@]{1,64}@[^\s@]{1,190}$/.test(text)

/** An operator in the audit, as actor and as subject. */
export const operatorSubject = ({ id }: Pick<Operator, 'id'>): `operator:${bigint}` => `operator:${id}`

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
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  email: string,
  role: string,
  actor: string,
): Promise<Operator> =>
  change(ctx, email, actor, 'operator.role_changed', (operator) => ({ ...operator, role: readRole(role) }))

/** Ends an operator's access: sessions, tokens and sent invitations stop working at once. The last administrator cannot be disabled. */
export const disableOperator = (
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  email: string,
  actor: string,
): Promise<Operator> =>
  change(ctx, email, actor, 'operator.disabled', (operator) => ({ ...operator, disabledAt: ctx.clock.now() }))

/**
 * Lets a disabled operator sign in again, with the same password, second factor and role. Earlier sessions and tokens stay ended.
 * CONFLICT for one who is not disabled.
 */
export const enableOperator = (
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  email: string,
  actor: string,
): Promise<Operator> =>
  change(ctx, email, actor, 'operator.enabled', (operator) => {
    refuseNow(whyNotEnabled(operator))
    return { ...operator, disabledAt: null }
  })

function change(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  email: string,
  actor: string,
  action: AuditAction,
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
    const changedRows = (await strangers(ctx, db)).map(({ id }) => id)
    const isWritten = !changedRows.includes(after.id)
    const able = all.filter(({ id }) => !changedRows.includes(id))
    if (!isAdmin(after)) refuseNow(whyStaysAdmin(able, before))
    // Whose row somebody has changed can only be disabled: nothing else vouches for what it says.
    if (!isWritten && !after.disabledAt) throw changedBehind()
    db.send`update operators set role = ${after.role}, disabled_at = ${after.disabledAt} where id = ${after.id}`
    if (isWritten) await vouchFor(ctx, db, after.id, actor)
    if (after.disabledAt) {
      db.send`update operator_sessions set ended_at = ${ctx.clock.realNow()} where operator_id = ${after.id} and ended_at is null`
      db.send`update operator_tokens set revoked_at = ${ctx.clock.realNow()} where operator_id = ${after.id} and revoked_at is null`
    }
    // An operator who leaves must not come back by an invitation of their own.
    if (after.disabledAt || !permissionsOf[after.role].has('team.manage'))
      db.send`
        update operator_invitations set used_at = ${ctx.clock.realNow()}
        where invited_by = ${operatorSubject(after)} and used_at is null`
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
  if (problem !== undefined) throw badField('next', problem)
  await usePresentPassword(ctx, { operatorId, sessionId }, present)
  const passwordHash = await hashPassword(next)
  await ctx.db.atomic(async (db) => {
    await changeOwn(ctx, db, operatorId, () => {
      db.send`update operators set password_hash = ${passwordHash} where id = ${operatorId}`
    })
    endOtherSessions(ctx, db, operatorId, sessionId)
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.password_changed', noValues)
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
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.recovery_codes_made', noValues)
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
    await changeOwn(ctx, db, operatorId, () => {
      db.send`update operators set totp_secret = null, totp_step = null where id = ${operatorId}`
    })
    db.send`delete from recovery_codes where operator_id = ${operatorId}`
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.second_factor_removed', noValues)
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
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  operatorId: bigint,
  code: string,
  sessionId?: bigint,
): Promise<string[]> {
  const [known] = await ctx.db.sql<{ totp_secret: Buffer | null; totp_step: bigint | null }>`
    select totp_secret, totp_step from operators where id = ${operatorId}`
  const sealed = known?.totp_step === null ? known.totp_secret : null
  if (!sealed) throw new Refusal('CONFLICT', 'There is no second factor to confirm.')
  const secret = unseal(ctx.secrets.sealing, sealed, totpPlace(operatorId))
  const step = totpStep(secret, code, { now: ctx.clock.realNow(), lastStep: null })
  if (step === undefined) throw badField('code', 'This code is wrong. Codes change every 30 seconds.')
  return ctx.db.atomic(async (db) => {
    await changeOwn(ctx, db, operatorId, () => {
      db.send`update operators set totp_secret = ${sealed}, totp_step = ${step} where id = ${operatorId} and totp_step is null`
    })
    // Sessions that began with the password alone end.
    endOtherSessions(ctx, db, operatorId, sessionId)
    record(ctx, db, operatorId, operatorSubject({ id: operatorId }), 'operator.second_factor_set', noValues)
    return makeRecoveryCodes(ctx, db, operatorId)
  })
}

const noValues = { before: null, after: null }

function record(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  operatorId: bigint,
  actor: string,
  action: AuditAction,
  values: { before: Record<string, unknown> | null; after: Record<string, unknown> | null },
): void {
  recordAudit(db, { at: clock.now(), actor, action, subject: operatorSubject({ id: operatorId }), ...values })
}
