import { hash } from 'node:crypto'

import { after } from '../../platform/lib/clock.ts'
import { randomToken } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { sendMail } from '../mail/send.ts'
import { createOperator, isEmailAddress, type Operator, readRole } from './operator.ts'
import type { Role } from './roles.ts'

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
  if (!isEmailAddress(email)) throw new Refusal('BAD_REQUEST', 'Invalid e-mail address.')
  const role = readRole(text)
  const token = randomToken(32)
  const url = `${ctx.publicUrl}/console/invitation/${token}`
  await ctx.db.atomic(async (db) => {
    const known = await db.sql`select 1 from operators where email = ${email}`
    if (known.length > 0) throw new Refusal('CONFLICT', 'An operator with this e-mail address already exists.')
    db.send`delete from operator_invitations where email = ${email} and used_at is null`
    db.send`
      insert into operator_invitations (hash, email, name, role, invited_by, created_at)
      values (${hashOf(token)}, ${email}, ${name.trim().slice(0, 100)}, ${role}, ${actor}, ${ctx.clock.realNow()})`
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

/** Who a link invites; undefined for an unknown, used or expired one. */
export async function readInvitation(
  { db, clock }: Pick<Ctx, 'db' | 'clock'>,
  token: string,
): Promise<Invitation | undefined> {
  const [found] = await db.sql<Invitation>`
    select email, name, role from operator_invitations
    where hash = ${hashOf(token)} and used_at is null and created_at > ${after(clock.realNow(), -validMs)}`
  return found
}

/** Whose invitations are open, the newest first. */
export const openInvitations = ({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<(Invitation & { at: Date })[]> =>
  db.sql`
    select email, name, role, created_at as at from operator_invitations
    where used_at is null and created_at > ${after(clock.realNow(), -validMs)} order by created_at desc`

/** Ends an open invitation: its link does not work any more. NOT_FOUND without one. */
export async function revokeInvitation(ctx: Pick<Ctx, 'db' | 'clock'>, typed: string, actor: string): Promise<void> {
  const email = typed.trim().toLowerCase()
  await ctx.db.atomic(async (db) => {
    const [ended] =
      await db.sql`delete from operator_invitations where email = ${email} and used_at is null returning 1`
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
  ctx: Pick<Ctx, 'db' | 'clock'>,
  token: string,
  password: string,
): Promise<Operator> {
  const invited = await readInvitation(ctx, token)
  if (!invited) throw new Refusal('NOT_FOUND', 'This invitation has been used or has expired.')
  const [row] = await ctx.db.sql<{ by: string }>`
    select invited_by as by from operator_invitations where hash = ${hashOf(token)}`
  // The address is unique, so a link that is used twice at once makes one operator.
  const made = await createOperator(ctx, { ...invited, password }, row?.by ?? 'invitation')
  await ctx.db.sql`update operator_invitations set used_at = ${ctx.clock.realNow()} where hash = ${hashOf(token)}`
  return made
}
