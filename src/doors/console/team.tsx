import { allActions } from '../../exchange/actions/all.ts'
import { invitationActions, newOperatorActions, operatorActions, tokenActions } from '../../exchange/actions/team.ts'
import { openInvitations } from '../../exchange/operators/invitation.ts'
import { listOperators, type Operator } from '../../exchange/operators/operator.ts'
import { permissionsOf, roles } from '../../exchange/operators/roles.ts'
import { listTokens, type OperatorToken, whyNotRevoked } from '../../exchange/operators/token.ts'
import { actOn, formsOf } from '../pages/actions.tsx'
import { renderPage } from './layout.tsx'
import { group, keysPath, type Page, type Visit } from './page.ts'
import { Moment, Table } from '../pages/table.tsx'

/** `/console/team`: operators and what each role may do. */
export const teamPage: Page = {
  path: '/console/team',
  needs: 'team.view',
  show: async (visit) => {
    const [operators, tokens] = await Promise.all([listOperators(visit.ctx), listTokens(visit.ctx)])
    const page = (
      <>
        <Table
          caption="Operators"
          columns={['E-mail address', 'Name', 'Role', 'Since', 'Tokens', 'Change']}
          empty="There is no operator."
          rows={await Promise.all(operators.map((one) => operatorRow(visit, one, tokens)))}
        />
        {await invitationsPart(visit)}
        <p>
          <a href={keysPath}>Passkeys and keys</a>: those that wait to be countersigned, and your own.
        </p>
        <div class="actions">{await formsOf(visit, newOperatorActions, undefined)}</div>
        <section aria-labelledby="roles">
          <h2 id="roles">What each role may do</h2>
          <Table
            caption="Permissions, and who has them"
            columns={['Permission', 'What it lets somebody do', 'Roles']}
            empty=""
            rows={[...permissionsOf.admin].toSorted().map((permission) => [
              permission,
              <>
                {allActions.flatMap(([about, actions]) => {
                  const titles = actions.flatMap((one) => (one.permission === permission ? [one.title] : []))
                  return titles.length === 0 ? [] : [<div key={about}>{`${about}: ${titles.join(', ')}`}</div>]
                })}
              </>,
              roles.filter((role) => permissionsOf[role].has(permission)).join(', '),
            ])}
          />
        </section>
      </>
    )
    return { body: renderPage(visit, 'Team', page) }
  },
  act: actOn([group(newOperatorActions), group(invitationActions), group(operatorActions), group(tokenActions)]),
}

async function operatorRow(visit: Visit, one: Operator, tokens: readonly OperatorToken[]) {
  const own = tokens.filter((token) => token.operatorId === one.id && !whyNotRevoked(token))
  const forms = own.map(async (token) => (
    <div key={String(token.id)}>
      …{token.hint} {await formsOf(visit, tokenActions, token, String(token.id))}
    </div>
  ))
  return [
    one.email,
    one.name,
    one.disabledAt === null ? one.role : 'disabled',
    <Moment at={one.createdAt} />,
    await Promise.all(forms),
    await formsOf(visit, operatorActions, one, one.email),
  ]
}

async function invitationsPart(visit: Visit) {
  const invitations = await openInvitations(visit.ctx)
  if (invitations.length === 0) return null
  const rows = invitations.map(async (one) => [
    one.email,
    one.name,
    one.role,
    <Moment at={one.at} />,
    await formsOf(visit, invitationActions, one.email, one.email),
  ])
  return (
    <section aria-labelledby="invited">
      <h2 id="invited">Invited</h2>
      <Table
        caption="Open invitations"
        columns={['E-mail address', 'Name', 'Role', 'Since', 'Change']}
        empty=""
        rows={await Promise.all(rows)}
      />
    </section>
  )
}
