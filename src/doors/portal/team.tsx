import {
  disablePortalUser,
  invitePortalUser,
  listPortalUsers,
  portalRoles,
  portalSubject,
} from '../../exchange/partners/portal-users.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { Moment, Table } from '../pages/table.tsx'
import { needAdmin, type Page, renderPage, type Visit } from './page.ts'

/** `/portal/team`: who of the partner uses the portal. */
export const teamPage: Page = {
  path: '/portal/team',
  show: async (visit) => ({ body: await teamOf(visit) }),
  act: async (visit) => {
    needAdmin(visit)
    const { ctx, form, user, path } = visit
    const actor = portalSubject(user.id)
    const [email, role, name] = ['email', 'role', 'name'].map((one) => (form.get(one) ?? '').trim())
    const { partnerId } = user
    switch (form.get('action') ?? '') {
      case 'invite': {
        const { url } = await invitePortalUser(ctx, { partnerId, email: email ?? '', role: role ?? '', name }, actor)
        const sent = `${email} gets an e-mail with a link that works once, for 72 hours.`
        return {
          body: await teamOf(visit, ctx.config.mail.smtpUrl === undefined ? `${sent} The link is ${url}` : sent),
        }
      }
      case 'disable':
        if (email?.toLowerCase() === user.email) throw new Refusal('CONFLICT', 'You cannot end your own access.')
        await disablePortalUser(ctx, { partnerId, email: email ?? '' }, actor)
        return { to: path }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

async function teamOf(visit: Visit, notice?: string): Promise<string> {
  const users = await listPortalUsers(visit.ctx, visit.user.partnerId)
  const isAdmin = visit.user.role === 'admin'
  return renderPage(
    visit,
    'Team',
    <>
      {notice === undefined ? null : <p class="notice wrap">{notice}</p>}
      <Table
        caption="People of your account"
        columns={['E-mail address', 'Name', 'Role', 'Since', ...(isAdmin ? ['Change'] : [])]}
        empty="There is nobody."
        rows={users.map((one) => [
          <span class="wrap">{one.email}</span>,
          one.name,
          one.disabledAt !== null ? 'disabled' : one.isInvited ? `${one.role}, invited` : one.role,
          <Moment at={one.createdAt} />,
          ...(isAdmin
            ? [
                one.disabledAt !== null || one.id === visit.user.id ? (
                  ''
                ) : (
                  <ActionForm visit={visit} action="disable" name="End access" class="inline">
                    <input type="hidden" name="email" value={one.email} />
                  </ActionForm>
                ),
              ]
            : []),
        ])}
      />
      {isAdmin ? (
        <section aria-labelledby="new">
          <h2 id="new">Invite somebody</h2>
          <ActionForm visit={visit} action="invite" name="Invite">
            <ActionField id="email" name="email" label="E-mail address" required />
            <ActionField id="name" name="name" label="Name" />
            <div class="field">
              <label for="role">Role</label>
              <p class="hint" id="role-hint">
                Administrators also make keys, resume endpoints and invite others.
              </p>
              <select id="role" name="role" aria-describedby="role-hint">
                {portalRoles.map((one) => (
                  <option key={one} value={one}>
                    {one}
                  </option>
                ))}
              </select>
            </div>
          </ActionForm>
        </section>
      ) : null}
    </>,
  )
}
