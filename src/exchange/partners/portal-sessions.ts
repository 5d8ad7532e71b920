import { hash } from 'node:crypto'

import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { deviceOf, knownDevice } from '../sign-in/device.ts'
import { countAttempt } from '../sign-in/limits.ts'
import { isPasswordOf } from '../sign-in/password.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { portalSubject, type PortalUser } from './portal-users.ts'

/** Somebody of a partner who is signed in, and the partner. */
export type PortalSession = Omit<PortalUser, 'createdAt' | 'disabledAt'> & { sessionId: bigint; partnerName: string }

const sessionMs = 12 * 3_600_000
const idleMs = 30 * 60_000

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/** What somebody typed, and where; `device` is the browser's cookie of an earlier sign-in. */
type PortalSignIn = { email: string; password: string; device: string | undefined; network: string }

/**
 * Signs somebody in at the portal, and gives the cookies of the session and of the browser. Refuses with INVALID_TOKEN and, after too
 * many wrong attempts, with RATE_LIMITED, without saying whether there is such a person; and a right password like a wrong one where there is a
 * passkey.
 */
export async function signInAtPortal(
  ctx: Pick<Ctx, 'db' | 'clock' | 'rowIds' | 'secrets' | 'config'>,
  { email: typed, password, device, network }: PortalSignIn,
): Promise<{ token: string; device: string }> {
  const email = typed.trim().toLowerCase()
  const attempt = { email: limitSubject(email), network, device: knownDevice(ctx, limitSubject(email), device) }
  const counted = await countAttempt(ctx, attempt)
  const [user] = await ctx.db.sql<{ id: bigint; passwordHash: string | null; hasPasskey: boolean }>`
    select id, password_hash as "passwordHash",
      exists (select from portal_passkeys where user_id = portal_users.id and ended_at is null) as "hasPasskey"
    from portal_users
    where email = ${email} and disabled_at is null
      and exists (select from partners where partners.id = partner_id and partners.disabled_at is null)`
  // Nobody learns that a password is right which does not open anything.
  if (!(await isPasswordOf(user, password)) || !user || user.hasPasskey) {
    throw new Refusal('INVALID_TOKEN', 'The e-mail address or password is wrong. If you have a passkey, use it.')
  }
  await counted.takeBack(true)
  return beginPortalSession(ctx, { id: user.id, email }, network)
}

/** Begins a session of somebody who has proven to be that person, or does in its block: `prove` refuses others. */
export async function beginPortalSession(
  ctx: Pick<Ctx, 'db' | 'clock' | 'rowIds' | 'secrets'>,
  { id, email }: { id: bigint; email: string },
  network: string,
  prove: (db: Atomic) => Promise<void> = async () => {},
): Promise<{ token: string; device: string }> {
  const [token, session] = [randomToken(32), await ctx.rowIds.next()]
  const now = ctx.clock.realNow()
  const actor = portalSubject(id)
  await ctx.db.atomic(async (db) => {
    await prove(db)
    db.send`
      insert into portal_sessions (id, hash, user_id, network, created_at, last_used_at)
      values (${session}, ${hashOf(token)}, ${id}, ${network}, ${now}, ${now})`
    const [at, action] = [ctx.clock.now(), 'portal_user.signed_in' as const]
    recordAudit(db, { at, actor, action, subject: actor, before: null, after: { network } })
  })
  return { token, device: portalDevice(ctx, email) }
}

/** Who is signed in with a cookie's token; undefined after 12 hours, 30 minutes without a use, or a sign-out. */
export async function portalSessionOf(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  token: string,
  isUse = true,
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
      where ${isUse} and id in (select session_id from found where last_used_at < ${now}::timestamptz - interval '1 minute'))
    select session_id as "sessionId", id, partner_id as "partnerId", partner_name as "partnerName", email, name, role
    from found`
  return found
}

/** A browser in which somebody of a partner is signed in. */
export type PortalBrowser = { id: bigint; network: string; createdAt: Date; lastUsedAt: Date }

/** The browsers in which somebody is signed in, the latest first. */
export function listPortalSessions({ db, clock }: Pick<Ctx, 'db' | 'clock'>, userId: bigint): Promise<PortalBrowser[]> {
  const now = clock.realNow()
  return db.sql`
    select id, network, created_at as "createdAt", last_used_at as "lastUsedAt" from portal_sessions
    where user_id = ${userId} and ended_at is null and created_at > ${after(now, -sessionMs)}
      and last_used_at > ${after(now, -idleMs)} order by created_at desc, id desc`
}

/** Ends one of somebody's sessions, or all of them. */
export const endPortalSessions = async (
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  userId: bigint,
  sessionId?: bigint,
): Promise<void> => {
  await db.sql`
    update portal_sessions set ended_at = ${clock.realNow()}
    where user_id = ${userId} and ended_at is null and id = coalesce(${sessionId ?? null}::bigint, id)`
}

/** People of partners are counted apart from operators. */
const limitSubject = (email: string): string => `portal ${email}`

/** What a browser is known by in which somebody has signed in, or accepted an invitation. */
export const portalDevice = (ctx: Pick<Ctx, 'secrets'>, email: string): string => deviceOf(ctx, limitSubject(email))
