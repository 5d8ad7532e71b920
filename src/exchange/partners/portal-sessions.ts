import { hash } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { deviceOf, knownDevice } from '../sign-in/device.ts'
import { countAttempt } from '../sign-in/limits.ts'
import { isPasswordOf } from '../sign-in/password.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { PortalUser } from './portal-users.ts'

/** Somebody of a partner who is signed in, and the partner. */
export type PortalSession = Omit<PortalUser, 'createdAt' | 'disabledAt'> & { sessionId: bigint; partnerName: string }

const sessionMs = 12 * 3_600_000
const idleMs = 30 * 60_000

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** What somebody typed, and where; `device` is the browser's cookie of an earlier sign-in. */
type PortalSignIn = { email: string; password: string; device: string | undefined; network: string }

/**
 * Signs somebody in at the portal, and gives the cookies of the session and of the browser. Refuses with INVALID_TOKEN and, after too
 * many wrong attempts, with RATE_LIMITED, without saying whether there is such a person.
 */
export async function signInAtPortal(
  ctx: Pick<Ctx, 'db' | 'clock' | 'rowIds' | 'secrets' | 'config'>,
  { email: typed, password, device, network }: PortalSignIn,
): Promise<{ token: string; device: string }> {
  const { db, clock } = ctx
  const email = typed.trim().toLowerCase()
  // People of partners are counted apart from operators.
  const subject = `portal ${email}`
  const counted = await countAttempt(ctx, { email: subject, network, device: knownDevice(ctx, subject, device) })
  const [user] = await db.sql<{ id: bigint; passwordHash: string | null }>`
    select id, password_hash as "passwordHash" from portal_users
    where email = ${email} and disabled_at is null
      and exists (select from partners where partners.id = partner_id and partners.disabled_at is null)`
  if (!(await isPasswordOf(user, password)) || !user) {
    throw new Refusal('INVALID_TOKEN', 'The e-mail address or password is wrong.')
  }
  await counted.takeBack(true)
  const token = randomToken(32)
  const now = clock.realNow()
  await db.sql`
    insert into portal_sessions (id, hash, user_id, network, created_at, last_used_at)
    values (${await ctx.rowIds.next()}, ${hashOf(token)}, ${user.id}, ${network}, ${now}, ${now})`
  return { token, device: deviceOf(ctx, subject) }
}

/** Who is signed in with a cookie's token; undefined after 12 hours, 30 minutes without a request, or a sign-out. */
export async function portalSessionOf(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  token: string,
): Promise<PortalSession | undefined> {
  const now = clock.realNow()
  const [found] = await db.sql<PortalSession>`
    with found as (
      select session.id as session_id, last_used_at, portal_users.*, partners.name as partner_name
      from portal_sessions as session join portal_users on portal_users.id = user_id
        join partners on partners.id = partner_id
      where hash = ${hashOf(token)} and ended_at is null and session.created_at > ${after(now, -sessionMs)}
        and last_used_at > ${after(now, -idleMs)} and portal_users.disabled_at is null and partners.disabled_at is null),
    used as (
      update portal_sessions set last_used_at = ${now}
      where id in (select session_id from found where last_used_at < ${now}::timestamptz - interval '1 minute'))
    select session_id as "sessionId", id, partner_id as "partnerId", partner_name as "partnerName", email, name, role
    from found`
  return found
}

export const endPortalSession = async ({ db, clock }: Pick<Ctx, 'db' | 'clock'>, sessionId: bigint): Promise<void> => {
  await db.sql`update portal_sessions set ended_at = ${clock.realNow()} where id = ${sessionId} and ended_at is null`
}
