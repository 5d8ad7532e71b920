import type { Partner } from '../partners/partner.ts'
import {
  disablePortalUser,
  invitePortalUser,
  listPortalUsers,
  portalRoles,
  type PortalUser,
  resetPortalUser,
  whyNoAccess,
} from '../partners/portal-users.ts'
import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { readId } from '../../platform/lib/ids.ts'
import type { Action, ActionResult, SubjectKind } from './action.ts'
import { partners } from './partners.ts'
import { field } from './input.ts'
import { choice, email, text as anyText } from './values.ts'

const common = { permission: 'partners.manage', atPortal: 'admin', needsReason: 'none' } as const

/** Somebody of a partner. Throws NOT_FOUND, for people of others too. */
export async function personNamed(ctx: Ctx, partnerId: bigint | undefined, email: string): Promise<PortalUser> {
  const all = partnerId === undefined ? [] : await listPortalUsers(ctx, partnerId)
  const found = all.find((one) => one.email === email.trim().toLowerCase())
  if (!found) throw new Refusal('NOT_FOUND', 'There is nobody with this e-mail address.')
  return found
}

const people: SubjectKind<PortalUser> = {
  noun: 'portal',
  flag: 'partner',
  argument: 'EMAIL',
  field: 'email',
  find: (ctx, text) => {
    const [partner = '', email = ''] = text.split(' ')
    return personNamed(ctx, readId(partner), email)
  },
}

const invite: Action<Partner> = {
  ...common,
  subject: partners('portal'),
  name: 'invite',
  title: 'Invite somebody',
  does: 'Invites somebody of a partner to the portal, by an e-mail with a link.',
  details: 'The link works once, for 72 hours.',
  fields: [
    field('email', email, { argument: 'EMAIL', label: 'E-mail address', isRequired: true }),
    field('role', choice(portalRoles, 'ROLE'), {
      initial: () => 'admin',
      help: 'Administrators also make keys, resume endpoints and invite others. Admin unless given.',
    }),
    field('name', anyText('N', 100)),
  ],
  run: async (ctx, { id: partnerId }, { text }, { actor }) => {
    const wanted = { partnerId, email: text('email') ?? '', role: text('role') ?? 'admin', name: text('name') }
    const { user, url } = await invitePortalUser(ctx, wanted, actor)
    return linked(ctx, { email: user.email, role: user.role, url })
  },
}

/** Without a mail server nobody else learns of the link. */
const linked = (ctx: Ctx, json: { email: string; role?: string; url: string }): ActionResult => ({
  said: `${json.email} gets an e-mail with a link that works once, for 72 hours.`,
  json,
  ...(ctx.config.mail.smtpUrl === undefined ? { secrets: [['Link of the invitation', json.url]] } : {}),
})

const reset: Action<PortalUser> = {
  ...common,
  subject: people,
  name: 'reset',
  title: 'Send a new link',
  does: 'Sends somebody who lost the password or the passkey a link to choose a password.',
  details:
    'With it the passkeys and sessions of before end; until then nothing changes. Make sure first that it is the person who asks.',
  fields: [],
  allowedNow: (_ctx, person) => whyNoAccess(person),
  run: async (ctx, { partnerId, email }, _given, { actor }) =>
    linked(ctx, { email, ...(await resetPortalUser(ctx, { partnerId, email }, actor)) }),
}

const disable: Action<PortalUser> = {
  ...common,
  subject: people,
  name: 'end-access',
  title: 'End the access',
  does: "Ends somebody's access to the portal, at once in every session.",
  fields: [],
  commands: [{ words: 'portal disable' }],
  allowedNow: (_ctx, person) => whyNoAccess(person),
  run: async (ctx, { partnerId, email }, _given, { actor }) => {
    await disablePortalUser(ctx, { partnerId, email }, actor)
    return { said: 'The access has ended.', json: { email, status: 'disabled' } }
  },
}

/** What operators, and administrators of the partner, do about its people. */
export const newPeopleActions: readonly Action<Partner>[] = [invite]
export const peopleActions: readonly Action<PortalUser>[] = [reset, disable]
