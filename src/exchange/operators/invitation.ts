import { hash } from 'node:crypto'

import type { Atomic } from '../../platform/db/sql.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { badField, Refusal } from '../../platform/lib/refusal.ts'
import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { sendMail } from '../mail/send.ts'
import { accessStamp, isOurAccess } from './access-stamp.ts'
import { createOperator, emailTaken, isEmailAddress, type Operator } from './operator.ts'
import { readRole, type Role } from './roles.ts'

/** Who is invited, and as what. */
export type Invitation = { email: string; name: string; role: Role }

/** How long a link is valid. */
const validMs = 72 * 3_600_000

const hashOf = (token: string): string => hash('sha256', token, 'hex')

/**
 * Invites somebody to become an operator, by an e-mail with a link that works once within 72 hours, and gives the link. An
 * earlier link for the address stops working. Refuses an invalid address, one that an operator has, and an unknown role.
 */
export async function inviteOperator(
  ctx: Ctx,
  { email: typed, name, role: text }: { email: string; name: string; role: string },
  actor: string,
): Promise<{ url: string }> {
  const email = typed.trim().toLowerCase()
  if (!isEmailAddress(email)) throw badField('email', 'Invalid e-mail address.')
  const role = readRole(text)
  const token = randomToken(32)
  const url = `${ctx.publicUrl}/console/invitation/${token}`
  await ctx.db.atomic(async (db) => {
    const known = await db.sql`select 1 from operators where email = ${email}`
    if (known.length > 0) throw emailTaken()
    await endOpen(ctx, db, email)
    const invited = { hash: hashOf(token), email, name: name.trim().slice(0, 100), role, by: actor }
    db.send`
      insert into operator_invitations (hash, email, name, role, invited_by, created_at, stamp)
      values (${invited.hash}, ${email}, ${invited.name}, ${role}, ${actor}, ${ctx.clock.realNow()},
        ${accessStamp(ctx, { kind: 'invitation', ...invited })})`
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'operator.invited',
      subject: `invitation:${email}`,
      before: null,
      after: { role },
    })
    await sendMail(ctx, db, {
      to: email,
      isAskedFor: true,
      subject: 'You are invited to the console',
      content: {
        title: 'You are invited to the console',
        paragraphs: [
          `You have been invited to the operators' console of this exchange with the role “${role}”.`,
          'The link works once, for 72 hours. If you did not expect this e-mail, ignore it.',
        ],
        link: { label: 'Choose a password', url },
      },
      dataKey: await ctx.keyring.make(db),
    })
  })
  return { url }
}

/** Who a link invites, and who did; undefined for one that is unknown, used or expired, or that the exchange has not made. */
export async function readInvitation(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets'>,
  token: string,
): Promise<(Invitation & { by: string }) | undefined> {
  const hashed = hashOf(token)
  const [found] = await ctx.db.sql<Invitation & { by: string; stamp: Buffer | null }>`
    select email, name, role, invited_by as by, stamp from operator_invitations
    where hash = ${hashed} and used_at is null and created_at > ${after(ctx.clock.realNow(), -validMs)}`
  if (!found) return undefined
  const { stamp, ...invited } = found
  return isOurAccess(ctx, { kind: 'invitation', hash: hashed, ...invited }, { stamp }) ? invited : undefined
}

/** Ends the open invitations of an address: their links do not work any more. */
const endOpen = ({ clock }: Pick<Ctx, 'clock'>, db: Atomic, email: string): Promise<unknown[]> =>
  db.sql`
    update operator_invitations set used_at = ${clock.realNow()} where email = ${email} and used_at is null returning 1`

/** Whose invitations are open, the newest first. */
export const openInvitations = ({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<(Invitation & { at: Date })[]> =>
  db.sql`
    select email, name, role, created_at as at from operator_invitations
    where used_at is null and created_at > ${after(clock.realNow(), -validMs)} order by created_at desc`

/** Ends an open invitation: its link does not work any more. NOT_FOUND without one. */
export async function revokeInvitation(ctx: Pick<Ctx, 'db' | 'clock'>, typed: string, actor: string): Promise<void> {
  const email = typed.trim().toLowerCase()
  await ctx.db.atomic(async (db) => {
    const [ended] = await endOpen(ctx, db, email)
    if (!ended) throw new Refusal('NOT_FOUND', 'There is no open invitation for this address.')
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'operator.invitation_revoked',
      subject: `invitation:${email}`,
      before: null,
      after: null,
    })
  })
}

/** Makes the operator that a link invites, with a password of the operator's choice. NOT_FOUND for a link that does not work. */
export async function acceptInvitation(
  ctx: Pick<Ctx, 'db' | 'clock' | 'secrets' | 'config'>,
  token: string,
  password: string,
): Promise<Operator> {
  const invited = await readInvitation(ctx, token)
  if (!invited) throw new Refusal('NOT_FOUND', 'This invitation has been used or has expired.')
  // The address is unique, so a link that is used twice at once makes one operator.
  const made = await createOperator(ctx, { ...invited, password }, invited.by)
  await ctx.db.sql`update operator_invitations set used_at = ${ctx.clock.realNow()} where hash = ${hashOf(token)}`
  return made
}
