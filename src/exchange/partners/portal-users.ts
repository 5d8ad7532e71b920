import { hash } from 'node:crypto'

import { recordAudit } from '../audit/audit.ts'
import type { AuditAction } from '../audit/nouns.ts'
import type { Ctx } from '../context.ts'
import { sendMail } from '../mail/send.ts'
import { hashPassword, passwordProblem } from '../sign-in/password.ts'
import { askPresentPassword } from '../sign-in/present-password.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { badField, fieldRefusal, Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import { showPartner } from './find.ts'

/** `admin`: also makes and revokes keys, changes endpoints and invites others. */
export const portalRoles = ['member', 'admin'] as const
export type PortalRole = (typeof portalRoles)[number]

/** Somebody of a partner who may sign in at the portal. */
export type PortalUser = {
  id: bigint
  partnerId: bigint
  email: string
  name: string
  role: PortalRole
  createdAt: Date
  disabledAt: Date | null
}

/** Who is to use the portal of a partner. */
export type NewPortalUser = { partnerId: bigint; email: string; name?: string | undefined; role: string }

/** How long the link of an invitation is valid. */
const validMs = 72 * 3_600_000

/** A user of the portal as the audit names it. */
export const portalSubject = (id: bigint): `portal:${bigint}` => `portal:${id}`

const hashOf = (token: string): string => hash('sha256', token, 'hex')

function readUser({ partnerId, email: typed, name = '', role }: NewPortalUser, now: Date): PortalUser {
  const email = typed.trim().toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw badField('email', 'Invalid e-mail address.')
  const known = portalRoles.find((one) => one === role)
  if (!known) throw badField('role', `A role is one of: ${portalRoles.join(', ')}.`)
  return {
    id: randomId(),
    partnerId,
    email,
    name: name.trim().slice(0, 100),
    role: known,
    createdAt: now,
    disabledAt: null,
  }
}

async function insert(db: Atomic, { id, partnerId, email, name, role, createdAt }: PortalUser): Promise<void> {
  const inserted = await db.sql`
    insert into portal_users (id, partner_id, email, name, role, created_at)
    values (${id}, ${partnerId}, ${email}, ${name}, ${role}, ${createdAt}) on conflict (email) do nothing returning id`
  if (inserted.length === 0)
    throw fieldRefusal('CONFLICT', 'email', 'Somebody with this e-mail address uses the portal already.')
}

/** Makes a user with a password, for the sandbox's own accounts. */
export async function createPortalUser(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { password, ...wanted }: NewPortalUser & { password: string },
  actor: string,
): Promise<PortalUser> {
  const user = readUser(wanted, ctx.clock.now())
  const passwordHash = await hashPassword(password)
  await ctx.db.atomic(async (db) => {
    await insert(db, user)
    db.send`update portal_users set password_hash = ${passwordHash} where id = ${user.id}`
    record(ctx, db, user, actor, 'portal_user.created')
  })
  return user
}

/**
 * Invites somebody to the portal of a partner by an e-mail with a link that works once, within 72 hours, and gives the link.
 * Refuses an unknown partner, an invalid address, and one that uses the portal already.
 */
export async function invitePortalUser(
  ctx: Ctx,
  wanted: NewPortalUser,
  actor: string,
): Promise<{ user: PortalUser; url: string }> {
  const partner = await showPartner(ctx, wanted.partnerId)
  const user = readUser(wanted, ctx.clock.now())
  const link = newLink(ctx)
  await ctx.db.atomic(async (db) => {
    // Who never accepted can be invited again.
    db.send`delete from portal_users where email = ${user.email} and partner_id = ${user.partnerId} and password_hash is null`
    await insert(db, user)
    db.send`
      update portal_users set invitation = ${link.hash}, invited_at = ${ctx.clock.realNow()} where id = ${user.id}`
    record(ctx, db, user, actor, 'portal_user.invited')
    const title = `You are invited to the portal of ${partner.name}`
    const sentence = 'In the portal you see orders and webhooks, and manage API keys and people.'
    await sendLink(ctx, db, { to: user.email, title, sentence, url: link.url })
  })
  return { user, url: link.url }
}

/**
 * Sends somebody of a partner a link that works once, within 72 hours, and gives it: with it they choose another password, and their passkeys
 * and sessions end. Until then nothing changes. NOT_FOUND for somebody of another partner, CONFLICT for who has no access.
 */
export async function resetPortalUser(
  ctx: Ctx,
  { partnerId, email: typed }: { partnerId: bigint; email: string },
  actor: string,
): Promise<{ url: string }> {
  const partner = await showPartner(ctx, partnerId)
  const link = newLink(ctx)
  await ctx.db.atomic(async (db) => {
    const user = await lockUser(db, partnerId, typed)
    db.send`
      update portal_users set invitation = ${link.hash}, invited_at = ${ctx.clock.realNow()} where id = ${user.id}`
    record(ctx, db, user, actor, 'portal_user.reset')
    const title = `Your access to the portal of ${partner.name}`
    await sendLink(ctx, db, {
      to: user.email,
      title,
      sentence: 'With the link below you choose a new password.',
      url: link.url,
    })
  })
  return { url: link.url }
}

/** Why nothing can be done about somebody's access any more; undefined: it can. */
export const whyNoAccess = ({ disabledAt }: Pick<PortalUser, 'disabledAt'>): string | undefined =>
  disabledAt === null ? undefined : 'The access of this person has ended.'

/** Somebody of a partner who has access, until the block ends. NOT_FOUND for somebody of another one. */
async function lockUser(db: Atomic, partnerId: bigint, email: string): Promise<PortalUser> {
  const [user] = await db.sql<PortalUser>`
    select id, partner_id as "partnerId", email, name, role, created_at as "createdAt", disabled_at as "disabledAt"
    from portal_users where partner_id = ${partnerId} and email = ${email.trim().toLowerCase()} for update`
  if (!user) throw new Refusal('NOT_FOUND', 'There is nobody with this e-mail address.')
  refuseNow(whyNoAccess(user))
  return user
}

function newLink({ publicUrl }: Pick<Ctx, 'publicUrl'>): { url: string; hash: string } {
  const token = randomToken(32)
  return { url: `${publicUrl}/portal/invitation/${token}`, hash: hashOf(token) }
}

type Link = { to: string; title: string; sentence: string; url: string }

async function sendLink(ctx: Ctx, db: Atomic, { to, title, sentence, url }: Link): Promise<void> {
  await sendMail(ctx, db, {
    to,
    isAskedFor: true,
    subject: title,
    content: {
      title,
      paragraphs: [sentence, 'The link works once, for 72 hours. If you did not expect this e-mail, ignore it.'],
      link: { label: 'Choose a password', url },
    },
    dataKey: await ctx.keyring.make(db),
  })
}

/** Whom a link invites; undefined for an unknown, used or expired one. */
export async function readPortalInvitation(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  token: string,
): Promise<{ id: bigint; email: string } | undefined> {
  const [found] = await db.sql<{ id: bigint; email: string }>`
    select id, email from portal_users
    where invitation = ${hashOf(token)} and invited_at > ${after(clock.realNow(), -validMs)} and disabled_at is null`
  return found
}

/**
 * Sets the password that an invited person chose, and ends what opened the portal before: passkeys and sessions. NOT_FOUND for a link
 * that does not work, BAD_REQUEST for a weak password.
 */
export async function acceptPortalInvitation(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  token: string,
  password: string,
): Promise<void> {
  const invited = await readPortalInvitation(ctx, token)
  if (!invited) throw new Refusal('NOT_FOUND', 'This invitation has been used or has expired.')
  const problem = passwordProblem(password, invited.email)
  if (problem !== undefined) throw new Refusal('BAD_REQUEST', problem)
  const passwordHash = await hashPassword(password)
  await ctx.db.atomic(async (db) => {
    const [accepted] = await db.sql`
      update portal_users set password_hash = ${passwordHash}, invitation = null
      where id = ${invited.id} and invitation = ${hashOf(token)} returning id`
    if (!accepted) throw new Refusal('NOT_FOUND', 'This invitation has been used or has expired.')
    db.send`update portal_passkeys set ended_at = ${ctx.clock.now()} where user_id = ${invited.id} and ended_at is null`
    endSessions(ctx, db, invited.id)
    const subject = portalSubject(invited.id)
    const at = ctx.clock.now()
    recordAudit(db, { at, actor: subject, action: 'portal_user.password_chosen', subject, before: null, after: null })
  })
}

/** Ends the sessions of somebody, or all but one. */
function endSessions({ clock }: Pick<Ctx, 'clock'>, db: Atomic, userId: bigint, except?: bigint): void {
  db.send`
    update portal_sessions set ended_at = ${clock.realNow()}
    where user_id = ${userId} and ended_at is null and id is distinct from ${except ?? null}::bigint`
}

/**
 * Changes somebody's own password, and ends their other sessions. Refuses with INVALID_TOKEN a wrong present password, and with
 * BAD_REQUEST a new one that is too short or easy to guess.
 */
export async function changePortalPassword(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  { id, email, sessionId }: { id: bigint; email: string; sessionId: bigint },
  { present, next }: { present: string; next: string },
): Promise<void> {
  const problem = passwordProblem(next, email)
  if (problem !== undefined) throw badField('next', problem)
  await usePortalPassword(ctx, { id, sessionId }, present)
  const passwordHash = await hashPassword(next)
  await ctx.db.atomic((db) => {
    db.send`update portal_users set password_hash = ${passwordHash} where id = ${id}`
    endSessions(ctx, db, id, sessionId)
    const subject = portalSubject(id)
    const action = 'portal_user.password_changed'
    recordAudit(db, { at: ctx.clock.now(), actor: subject, action, subject, before: null, after: null })
    return Promise.resolve()
  })
}

/** Asks somebody who is signed in at the portal for the present password: see `askPresentPassword`. */
export async function usePortalPassword(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  { id, sessionId }: { id: bigint; sessionId: bigint },
  present: string,
): Promise<void> {
  const [known] = await ctx.db.sql<{ passwordHash: string | null }>`
    select password_hash as "passwordHash" from portal_users where id = ${id}`
  await askPresentPassword(ctx, `portal ${sessionId}`, known, present)
}

/** A partner's people, oldest first. */
export const listPortalUsers = (
  { db }: Pick<Ctx, 'db'>,
  partnerId: bigint,
): Promise<(PortalUser & { isInvited: boolean })[]> =>
  db.sql`
    select id, partner_id as "partnerId", email, name, role, created_at as "createdAt", disabled_at as "disabledAt",
      password_hash is null as "isInvited"
    from portal_users where partner_id = ${partnerId} order by created_at, id`

/**
 * Ends somebody's access to the portal of a partner, at once in every session. NOT_FOUND for somebody of another
 * partner, CONFLICT for who has no access any more, and for one's own.
 */
export async function disablePortalUser(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { partnerId, email }: { partnerId: bigint; email: string },
  actor: string,
): Promise<void> {
  await ctx.db.atomic(async (db) => {
    const user = await lockUser(db, partnerId, email)
    if (actor === portalSubject(user.id)) throw new Refusal('CONFLICT', 'You cannot end your own access.')
    const disabledAt = ctx.clock.now()
    db.send`update portal_users set disabled_at = ${disabledAt} where id = ${user.id}`
    endSessions(ctx, db, user.id)
    record(ctx, db, { ...user, disabledAt }, actor, 'portal_user.disabled')
  })
}

function record(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  { id, partnerId, role, disabledAt }: PortalUser,
  actor: string,
  action: AuditAction,
): void {
  const values = { partner_id: String(partnerId), role, disabled_at: disabledAt?.toISOString() ?? null }
  recordAudit(db, { at: clock.now(), actor, action, subject: portalSubject(id), before: null, after: values })
}
