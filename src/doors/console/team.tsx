import { changeRole, disableOperator, listOperators, operatorSubject } from '../../exchange/operators/operator.ts'
import { inviteOperator, openInvitations, revokeInvitation } from '../../exchange/operators/invitation.ts'
import { permissionsOf, roles } from '../../exchange/operators/roles.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Moment, Table } from '../pages/table.tsx'

/** `/console/team`: operators and what each role may do. */
export const teamPage: Page = {
  path: '/console/team',
  needs: 'team.view',
  show: async (visit) => ({ body: await teamOf(visit) }),
  act: async (visit) => {
    if (!visit.may('team.manage')) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
    const { ctx, form, operator } = visit
    const actor = operatorSubject({ id: operator.operatorId })
    const [email, role] = [(form.get('email') ?? '').trim(), form.get('role') ?? '']
    switch (form.get('action') ?? '') {
      case 'invite': {
        const { url } = await inviteOperator(ctx, { email, role, name: form.get('name') ?? '' }, actor)
        const sent = `${email} gets an e-mail with a link that works once, for 72 hours.`
        return {
          body: await teamOf(visit, ctx.config.mail.smtpUrl === undefined ? `${sent} The link is ${url}` : sent),
        }
      }
      case 'role':
        await changeRole(ctx, email, role, actor)
        return { to: visit.path }
      case 'revoke':
        await revokeInvitation(ctx, email, actor)
        return { to: visit.path }
      case 'disable':
        await disableOperator(ctx, email, actor)
        return { to: visit.path }
      default:
        throw new Refusal('BAD_REQUEST', 'There is no such action.')
    }
  },
}

async function teamOf(visit: Visit, notice?: string): Promise<string> {
  const [operators, invitations] = await Promise.all([listOperators(visit.ctx), openInvitations(visit.ctx)])
  const mayManage = visit.may('team.manage')
  return renderPage(
    visit,
    'Team',
    <>
      {notice === undefined ? null : <p class="notice">{notice}</p>}
      <Table
        caption="Operators"
        columns={['E-mail address', 'Name', 'Role', 'Since', ...(mayManage ? ['Change'] : [])]}
        empty="There is no operator."
        rows={operators.map((one) => [
          one.email,
          one.name,
          one.disabledAt === null ? one.role : 'disabled',
          <Moment at={one.createdAt} />,
          ...(mayManage && one.disabledAt === null
            ? [
                <ActionForm visit={visit} action="role" name="Change role" class="inline">
                  <input type="hidden" name="email" value={one.email} />
                  <RoleChoice id={`role-${one.id}`} value={one.role} />
                </ActionForm>,
              ]
            : mayManage
              ? ['']
              : []),
        ])}
      />
      <Invitations visit={visit} invitations={invitations} mayManage={mayManage} />
      {mayManage ? (
        <div class="pair">
          <section aria-labelledby="new">
            <h2 id="new">Invite an operator</h2>
            <ActionForm visit={visit} action="invite" name="Invite">
              <ActionField id="new-email" name="email" label="E-mail address" required />
              <ActionField id="new-name" name="name" label="Name" />
              <RoleChoice id="new-role" value="support" />
            </ActionForm>
          </section>
          <section aria-labelledby="disable">
            <h2 id="disable">Disable an operator</h2>
            <ActionForm visit={visit} action="disable" name="Disable">
              <p class="hint">Sessions, tokens and open invitations of this operator stop working at once.</p>
              <ActionField id="disable-email" name="email" label="E-mail address" required />
            </ActionForm>
          </section>
        </div>
      ) : null}
      <section aria-labelledby="roles">
        <h2 id="roles">What each role may do</h2>
        <Table
          caption="Permissions by role"
          columns={['Role', 'May']}
          empty=""
          rows={roles.map((role) => [role, [...permissionsOf[role]].join(', ')])}
        />
      </section>
    </>,
  )
}

type Listed = { visit: Visit; invitations: Awaited<ReturnType<typeof openInvitations>>; mayManage: boolean }

const Invitations = ({ visit, invitations, mayManage }: Listed) =>
  invitations.length === 0 ? null : (
    <section aria-labelledby="invited">
      <h2 id="invited">Invited</h2>
      <Table
        caption="Open invitations"
        columns={['E-mail address', 'Name', 'Role', 'Since', ...(mayManage ? ['Change'] : [])]}
        empty=""
        rows={invitations.map((one) => [
          one.email,
          one.name,
          one.role,
          <Moment at={one.at} />,
          ...(mayManage
            ? [
                <ActionForm visit={visit} action="revoke" name="Revoke" class="inline">
                  <input type="hidden" name="email" value={one.email} />
                </ActionForm>,
              ]
            : []),
        ])}
      />
    </section>
  )

const RoleChoice = ({ id, value }: { id: string; value: string }) => (
  <div class="field">
    <label for={id}>Role</label>
    <select id={id} name="role">
      {roles.map((role) => (
        <option key={role} value={role} selected={role === value}>
          {role}
        </option>
      ))}
    </select>
  </div>
)
