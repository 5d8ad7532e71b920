import { newPeopleActions, peopleActions, personNamed } from '../../exchange/actions/people.ts'
import { listPortalUsers } from '../../exchange/partners/portal-users.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { Moment, Table } from '../pages/table.tsx'
import { group, ownPartner, type Page, renderPage } from './page.ts'

/** `/portal/team`: who of the partner uses the portal. */
export const teamPage: Page = {
  path: '/portal/team',
  show: async (visit) => {
    const { ctx, user } = visit
    const people = await listPortalUsers(ctx, user.partnerId)
    const rows = people.map(async (one) => [
      <span class="wrap">{one.email}</span>,
      one.name,
      one.disabledAt !== null ? 'disabled' : one.isInvited ? `${one.role}, invited` : one.role,
      <Moment at={one.createdAt} />,
      one.id === user.id ? '' : await formsOf(visit, peopleActions, one, one.email),
    ])
    const page = (
      <>
        <Table
          caption="People of your account"
          columns={['E-mail address', 'Name', 'Role', 'Since', 'Change']}
          empty="There is nobody."
          rows={await Promise.all(rows)}
        />
        <div class="actions">{await formsOf(visit, newPeopleActions, await ownPartner(visit))}</div>
      </>
    )
    return { body: renderPage(visit, 'Team', page) }
  },
  act: actOn([
    group(newPeopleActions, { about: ownPartner }),
    group(peopleActions, {
      about: ({ ctx, user, form }) => personNamed(ctx, user.partnerId, form.get('email') ?? ''),
    }),
  ]),
}
