import { hash } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { mayAct } from '../approvals/people.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { accessStamp, isOurAccess } from './access-stamp.ts'
import { hasTrustedPasskey } from './operator-keys.ts'
import type { Role } from './roles.ts'
import * as queries from './session.sql.ts'

/** Who uses a browser. */
export type SignedIn = {
  sessionId: bigint
  operatorId: bigint
  email: string
  name: string
  role: Role
  /** Whether a second factor is set up. */
  hasSecondFactor: boolean
  /** Whether a passkey is, and signs in: then it is a second factor, too. */
  hasPasskey: boolean
}

const sessionMs = 12 * 3_600_000
const idleMs = 30 * 60_000

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/**
 * Who is signed in with a cookie's token; undefined after 12 hours, 30 minutes without a use, or a sign-out, and where the
 * session or its operator is not as the exchange wrote them.
 */
export async function operatorOfSession(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  token: string,
  isUse = true,
): Promise<SignedIn | undefined> {
  const { db, clock } = ctx
  const now = clock.realNow()
  const times = { now: isUse ? now : null, createdAfter: after(now, -sessionMs), usedAfter: after(now, -idleMs) }
  const hashed = hashOf(token)
  const [found] = await queries.useSession(db, hashed, times)
  if (!found) return undefined
  const { stamp, createdAt, ...operator } = found
  const { sessionId: id, operatorId } = operator
  if (!isOurAccess(ctx, { kind: 'session', id, hash: hashed, operatorId, createdAt }, { stamp })) return undefined
  if (!(await mayAct(ctx, db, operatorId))) return undefined
  return { ...operator, hasPasskey: operator.hasPasskey && (await hasTrustedPasskey(ctx, operatorId)) }
}

/** Begins a session in the caller's block, and gives its cookie. */
export function beginSession(
  ctx: Pick<Ctx, 'clock' | 'secrets'>,
  db: Atomic,
  session: Pick<queries.SessionRow, 'id' | 'operatorId' | 'network' | 'agent'>,
): string {
  const token = randomToken(32)
  const { id, operatorId } = session
  const access = { id, operatorId, hash: hashOf(token), createdAt: ctx.clock.realNow() }
  queries.insertSession(db, { ...session, ...access, stamp: accessStamp(ctx, { kind: 'session', ...access }) })
  return token
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
