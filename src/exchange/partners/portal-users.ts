import { hash } from 'node:crypto'

import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { sendMail } from '../mail/send.ts'
import { hashPassword, passwordProblem } from '../sign-in/password.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomId, randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
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
export const portalSubject = (id: bigint): string => `portal:${id}`

const hashOf = (token: string): string => hash('sha256', token, 'hex')

function readUser({ partnerId, email: typed, name = '', role }: NewPortalUser, now: Date): PortalUser {
  const email = typed.trim().toLowerCase()
  if (!/^[^\s@]{1,64}@[^\s@]{1,190}$/.test(email)) throw new Refusal('BAD_REQUEST', 'Invalid e-mail address.')
  const known = portalRoles.find((one) => one === role)
  if (!known) throw new Refusal('BAD_REQUEST', `A role is one of: ${portalRoles.join(', ')}.`)
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
  if (inserted.length === 0) throw new Refusal('CONFLICT', 'Somebody with this e-mail address uses the portal already.')
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
  const token = randomToken(32)
  const url = `${ctx.publicUrl}/portal/invitation/${token}`
  await ctx.db.atomic(async (db) => {
    // Who never accepted can be invited again.
    db.send`delete from portal_users where email = ${user.email} and partner_id = ${user.partnerId} and password_hash is null`
    await insert(db, user)
    db.send`
      update portal_users set invitation = ${hashOf(token)}, invited_at = ${ctx.clock.realNow()} where id = ${user.id}`
    record(ctx, db, user, actor, 'portal_user.invited')
    await sendMail(ctx, db, {
      to: user.email,
      isAskedFor: true,
      subject: `You are invited to the portal of ${partner.name}`,
      content: {
        title: `You are invited to the portal of ${partner.name}`,
        paragraphs: [
          'In the portal you see orders and webhooks, and manage API keys and people.',
          'The link works once, for 72 hours. If you did not expect this e-mail, ignore it.',
        ],
        link: { label: 'Choose a password', url },
      },
      dataKey: await ctx.keyring.make(db),
    })
  })
  return { user, url }
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

/** Sets the password that an invited person chose. NOT_FOUND for a link that does not work, BAD_REQUEST for a weak password. */
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
  await ctx.db.sql`
    update portal_users set password_hash = ${passwordHash}, invitation = null
    where id = ${invited.id} and invitation = ${hashOf(token)}`
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

/** Ends somebody's access to the portal of a partner, at once in every session. NOT_FOUND for somebody of another partner. */
export async function disablePortalUser(
  ctx: Pick<Ctx, 'db' | 'clock'>,
  { partnerId, email }: { partnerId: bigint; email: string },
  actor: string,
): Promise<void> {
  await ctx.db.atomic(async (db) => {
    const [user] = await db.sql<PortalUser>`
      update portal_users set disabled_at = coalesce(disabled_at, ${ctx.clock.now()})
      where partner_id = ${partnerId} and email = ${email.trim().toLowerCase()}
      returning id, partner_id as "partnerId", email, name, role, created_at as "createdAt", disabled_at as "disabledAt"`
    if (!user) throw new Refusal('NOT_FOUND', 'There is nobody with this e-mail address.')
    db.send`
      update portal_sessions set ended_at = ${ctx.clock.realNow()} where user_id = ${user.id} and ended_at is null`
    record(ctx, db, user, actor, 'portal_user.disabled')
  })
}

function record(
  { clock }: Pick<Ctx, 'clock'>,
  db: Atomic,
  { id, partnerId, role, disabledAt }: PortalUser,
  actor: string,
  action: string,
): void {
  const values = { partner_id: String(partnerId), role, disabled_at: disabledAt?.toISOString() ?? null }
  recordAudit(db, { at: clock.now(), actor, action, subject: portalSubject(id), before: null, after: values })
}
