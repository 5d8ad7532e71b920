import { disablePortalUser, invitePortalUser, listPortalUsers } from '../../exchange/partners/portal-users.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { partnerIdOf } from './read-id.ts'
import { withActor } from './who.ts'

/** Invites somebody of a partner to the portal. The link is shown, too: without a mail server nobody gets it otherwise. */
export const invite = (input: Invocation): Promise<Answer> => {
  const { args, flags } = input
  const [email = ''] = args
  const partnerId = partnerIdOf(input)
  return withActor(input, 'partners.manage', async (ctx, who) => {
    const { role = 'admin', name } = flags
    const { user, url } = await invitePortalUser(ctx, { partnerId, email, role, name }, who)
    const json = { email: user.email, role: user.role, url }
    return { json, text: `${layOut(json)}\n\nThe link works once, for 72 hours.` }
  })
}

export const list = (input: Invocation): Promise<Answer> => {
  const partnerId = partnerIdOf(input)
  return input.exchange(async (ctx) => ({
    json: (await listPortalUsers(ctx, partnerId)).map(({ email, name, role, isInvited, createdAt, disabledAt }) => ({
      email,
      name,
      role,
      status: disabledAt !== null ? 'disabled' : isInvited ? 'invited' : 'active',
      created_at: createdAt.toISOString(),
    })),
  }))
}

/** Ends somebody's access to the portal. */
export const disable = (input: Invocation): Promise<Answer> => {
  const [email = ''] = input.args
  const partnerId = partnerIdOf(input)
  return withActor(input, 'partners.manage', async (ctx, who) => {
    await disablePortalUser(ctx, { partnerId, email }, who)
    return { json: { email: email.trim().toLowerCase(), status: 'disabled' } }
  })
}
