import { hash } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
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
}

const sessionMs = 12 * 3_600_000
const idleMs = 30 * 60_000

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
