import { hash } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { deviceOf, knownDevice } from '../sign-in/device.ts'
import { countAttempt } from '../sign-in/limits.ts'
import { isPasswordOf } from '../sign-in/password.ts'
import { recordAudit } from '../audit/audit.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import { mayAct, totpPlace } from '../approvals/people.ts'
import { operatorSubject } from './operator.ts'
import { hasTrustedPasskey } from './operator-keys.ts'
import { useRecoveryCode } from './recovery.ts'
import { accessStamp, isOurAccess } from './access-stamp.ts'
import { beginSession } from './session.ts'
import * as queries from './sign-in.sql.ts'
import { totpStep } from './totp.ts'

/**
 * What somebody typed, and where. `pending` and `device` are the browser's cookies: of a right password whose code is missing, and of
 * an earlier sign-in. `network` and `agent` are shown in the list of sessions.
 */
export type SignIn = {
  email: string
  password: string
  code: string | undefined
  pending: string | undefined
  device: string | undefined
  network: string
  agent: string
}

/** The cookies of a session and of this browser; or of a right password, whose code is still to come. */
export type SignInResult = { token: string; device: string } | { pending: string }

type Deps = Pick<Ctx, 'db' | 'clock' | 'rowIds' | 'secrets' | 'config'>

/** How long a right password waits for its code. */
const pendingMs = 5 * 60_000

/**
 * Signs an operator in. A code is asked for where a second factor is set up: of the authenticator app, or a recovery code; with a passkey
 * alone, a recovery code, unless the passkey signs in by itself (`signInWithPasskey`). Refuses
 * with INVALID_TOKEN what is wrong, without saying what, and with RATE_LIMITED after too many wrong attempts (`limitsOf`). Whether
 * there is such an operator shows in neither.
 */
export async function signIn(ctx: Deps, typed: SignIn): Promise<SignInResult> {
  const { db, clock } = ctx
  const now = clock.realNow()
  const began = typed.password === '' ? await pendingOf(ctx, typed.pending) : undefined
  const email = began?.email ?? typed.email.trim().toLowerCase()
  const { network } = typed
  const counted = await countAttempt(ctx, { email, network, device: knownDevice(ctx, email, typed.device) })
  const operator = began ?? (await operatorWithPassword(ctx, email, typed.password))
  if (!operator || !(await mayAct(ctx, db, operator.id))) throw wrong()

  const { id: operatorId, totpSecret, totpStep: lastStep } = operator
  const hasPasskey = operator.hasPasskey && (await hasTrustedPasskey(ctx, operatorId))
  const code = typed.code?.trim() ?? ''
  const factor = totpSecret !== null && lastStep !== null ? { secret: totpSecret, lastStep } : undefined
  if ((factor || hasPasskey) && code === '') {
    await counted.takeBack(false)
    const pending = randomToken(32)
    const access = { kind: 'password', hash: hashOf(pending), operatorId } as const
    await queries.insertPending(db, { ...access, at: now, stamp: accessStamp(ctx, access) })
    return { pending }
  }
  const id = await ctx.rowIds.next()
  const token = await db.atomic(async (block) => {
    // A code is used up in the block that begins the session: of two sign-ins with one code, one fails.
    const used = factor
      ? await useCode(ctx, block, operatorId, { ...factor, code })
      : hasPasskey
        ? await usedRecoveryCode(ctx, block, operatorId, code)
        : 'none'
    const [counts] = used === undefined ? [] : await queries.useStep(block, operatorId, used === 'none' ? null : used)
    if (!counts) throw wrong()
    await queries.endPending(block, operatorId, after(now, -pendingMs))
    recordAudit(block, {
      at: clock.now(),
      actor: operatorSubject(operator),
      action: 'operator.signed_in',
      subject: operatorSubject(operator),
      before: null,
      after: { network },
    })
    return beginSession(ctx, block, { id, operatorId, network, agent: typed.agent })
  })
  await counted.takeBack(true)
  return { token, device: deviceOf(ctx, email) }
}

const wrong = (): Refusal => new Refusal('INVALID_TOKEN', 'The e-mail address, password or code is wrong.')

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** The operator whose password this browser has typed before. */
async function pendingOf(ctx: Deps, pending: string | undefined): Promise<queries.OperatorRow | undefined> {
  if (pending === undefined) return undefined
  const hashed = hashOf(pending)
  const [found] = await queries.operatorOfPending(ctx.db, hashed, after(ctx.clock.realNow(), -pendingMs))
  return found && isOurAccess(ctx, { kind: 'password', hash: hashed, operatorId: found.id }, found) ? found : undefined
}

async function operatorWithPassword(
  { db }: Deps,
  email: string,
  password: string,
): Promise<queries.OperatorRow | undefined> {
  const [operator] = await queries.operatorByEmail(db, email)
  return (await isPasswordOf(operator, password)) ? operator : undefined
}

/** The time step of a code, `none` for a recovery code, undefined for a wrong one. */
async function useCode(
  ctx: Deps,
  db: Atomic,
  operatorId: bigint,
  { secret, lastStep, code }: { secret: Buffer; lastStep: bigint; code: string },
): Promise<bigint | 'none' | undefined> {
  const opened = unseal(ctx.secrets.sealing, secret, totpPlace(operatorId))
  const step = totpStep(opened, code, { now: ctx.clock.realNow(), lastStep })
  if (step !== undefined) return step
  return usedRecoveryCode(ctx, db, operatorId, code)
}

const usedRecoveryCode = async (ctx: Deps, db: Atomic, operatorId: bigint, code: string): Promise<'none' | undefined> =>
  (await useRecoveryCode(ctx, db, operatorId, code)) ? 'none' : undefined
