import { hash } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { unseal } from '../../platform/privacy/seal.ts'
import { hashPassword, isPassword } from './password.ts'
import { operatorSubject, totpPlace } from './operator.ts'
import type { Role } from './roles.ts'
import * as queries from './session.sql.ts'
import { totpStep } from './totp.ts'

/** Who uses a browser. */
export type SignedIn = {
  sessionId: bigint
  operatorId: bigint
  email: string
  name: string
  role: Role
  /** Whether a second factor is set up. */
  hasSecondFactor: boolean
}

/** What somebody typed, and where. `network` and `agent` are shown in the list of sessions. */
export type SignIn = { email: string; password: string; code: string | undefined; network: string; agent: string }

const sessionMs = 12 * 3_600_000
const idleMs = 30 * 60_000
/** The longest wait after wrong attempts; see `beginAttempt`. */
const longestWaitMs = 3_600_000

/** Checked where there is no such operator, so that the answer takes as long. */
let decoy: Promise<string> | undefined

/**
 * Signs an operator in, and gives the token for the cookie; `code_needed` where the password is right and a code of the second
 * factor is missing. Refuses with INVALID_TOKEN everything else, without saying what is wrong, and with RATE_LIMITED after five
 * wrong attempts. A right password whose code is wrong counts as wrong.
 */
export async function signIn(
  ctx: Pick<Ctx, 'db' | 'clock' | 'rowIds' | 'secrets'>,
  typed: SignIn,
): Promise<{ token: string } | 'code_needed'> {
  const { db, clock } = ctx
  const now = clock.realNow()
  const email = typed.email.trim().toLowerCase()
  // The attempt is counted before the password is looked at, so that many at once are not more than so many.
  const [operator] = await queries.beginAttempt(db, email, now)
  decoy ??= hashPassword(randomToken(16))
  const isRight = await isPassword(typed.password, operator?.passwordHash ?? (await decoy))
  if (!operator) throw await refusalOf(ctx, email, now)
  if (!isRight) throw wrong()

  let step: bigint | null = null
  if (operator.totpSecret !== null && operator.totpStep !== null) {
    if (typed.code === undefined || typed.code === '') {
      await queries.endAttempt(db, operator.id)
      return 'code_needed'
    }
    const secret = unseal(ctx.secrets.sealing, operator.totpSecret, totpPlace(operator.id))
    step = totpStep(secret, typed.code, { now, lastStep: operator.totpStep }) ?? null
    if (step === null) throw wrong()
  }
  const token = randomToken(32)
  const id = await ctx.rowIds.next()
  await db.atomic(async (block) => {
    // The step is used up in the block that begins the session: of two sign-ins with one code, one fails.
    const [counted] = await queries.succeed(block, operator.id, step)
    if (!counted) throw wrong()
    queries.insertSession(block, { id, hash: hashOf(token), operatorId: operator.id, at: now, ...typed })
    recordAudit(block, {
      at: clock.now(),
      actor: operatorSubject(operator),
      action: 'operator.signed_in',
      subject: operatorSubject(operator),
      before: null,
      after: { network: typed.network },
    })
  })
  return { token }
}

const wrong = (): Refusal => new Refusal('INVALID_TOKEN', 'The e-mail address, password or code is wrong.')

/** Why no attempt could begin: there is no such operator, or the wait is not over. */
async function refusalOf({ db }: Pick<Ctx, 'db'>, email: string, now: Date): Promise<Refusal> {
  const [operator] = await queries.operatorByEmail(db, email)
  if (operator?.disabledAt !== null) return wrong()
  const wait = Math.min(60_000 * 2 ** (operator.failures - queries.freeFailures), longestWaitMs)
  const leftMs = operator.failedAt === null ? 0 : after(operator.failedAt, wait).getTime() - now.getTime()
  return new Refusal('RATE_LIMITED', 'Too many attempts. Please wait.', [], Math.max(1, Math.ceil(leftMs / 1_000)))
}

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** Who is signed in with a cookie's token; undefined after 12 hours, 30 minutes without a request, or a sign-out. */
export async function operatorOfSession(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  token: string,
): Promise<SignedIn | undefined> {
  const now = clock.realNow()
  const times = { now, createdAfter: after(now, -sessionMs), usedAfter: after(now, -idleMs) }
  const [found] = await queries.useSession(db, hashOf(token), times)
  return found
}

/** A browser in which an operator is signed in. */
export type Session = Pick<queries.SessionRow, 'id' | 'network' | 'agent' | 'createdAt' | 'lastUsedAt'>

/** The browsers in which an operator is signed in, the latest first. */
export function listSessions({ db, clock }: Pick<Ctx, 'db' | 'clock'>, operatorId: bigint): Promise<Session[]> {
  const now = clock.realNow()
  return queries.sessionsOf(db, operatorId, { createdAfter: after(now, -sessionMs), usedAfter: after(now, -idleMs) })
}

/** Ends one of an operator's sessions, or all of them. */
export const endSessions = async (
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  operatorId: bigint,
  sessionId?: bigint,
): Promise<void> => {
  await queries.endSessions(db, operatorId, sessionId ?? null, clock.realNow())
}
