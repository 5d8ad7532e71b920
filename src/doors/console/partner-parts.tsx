import type { Partner } from '../../exchange/partners/partner.ts'
import { type listPortalUsers, portalRoles } from '../../exchange/partners/portal-users.ts'
import { featureNames } from '../../exchange/partners/settings.ts'
import type { Endpoint } from '../../exchange/webhooks/endpoint.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import { Moment, spaced, Table } from '../pages/table.tsx'
import type { Visit } from './page.ts'
import { policyTitles } from './policy-titles.ts'

/** Which policies are the partner's own; each can be changed on its page. */
export function Policies({ visit, partner }: { visit: Visit; partner: Partner }) {
  const { ctx } = visit
  const now = ctx.clock.now()
  return visit.may('prices.view') ? (
    <section aria-labelledby="policies">
      <h2 id="policies">Fees and limits</h2>
      <Table
        caption="Policies of this partner"
        columns={['Policy', 'Whose', 'Version']}
        empty=""
        rows={(['fees', 'b2b', 'limits', 'validity', 'slippage'] as const).map((kind) => {
          const policy = ctx.policies.at(now, kind, partner.id)
          return [
            <a href={`/console/prices/${kind}?partner=${partner.id}`}>{policyTitles[kind].title}</a>,
            policy.partnerId === null ? 'the house' : 'its own',
            String(policy.version),
          ]
        })}
      />
    </section>
  ) : null
}

export const Features = ({ visit, partner, canManage }: { visit: Visit; partner: Partner; canManage: boolean }) => (
  <section aria-labelledby="features">
    <h2 id="features">Features</h2>
    <Table
      caption="Features"
      columns={['Feature', 'State', ...(canManage ? ['Change'] : [])]}
      empty=""
      rows={featureNames.map((name) => {
        const isOn = partner.settings.features[name]
        const change = (
          <ActionForm visit={visit} action="feature" name={isOn ? 'Switch off' : 'Switch on'} class="inline">
            <input type="hidden" name="feature" value={name} />
            <input type="hidden" name="on" value={isOn ? 'off' : 'on'} />
          </ActionForm>
        )
        return [spaced(name), isOn ? 'on' : 'off', ...(canManage ? [change] : [])]
      })}
    />
  </section>
)

export const Switch = ({ visit, partner: { disabledAt } }: { visit: Visit; partner: Partner }) => (
  <details>
    <summary>{disabledAt === null ? 'Disable this partner' : 'Enable this partner'}</summary>
    <ActionForm
      visit={visit}
      action={disabledAt === null ? 'disable' : 'enable'}
      name={disabledAt === null ? 'Disable' : 'Enable'}
    >
      <p class="hint">
        {disabledAt === null
          ? 'Its keys stop being valid within two seconds, and its people cannot use the portal. What its customers began continues.'
          : 'Its keys are valid again, except those that were revoked.'}
      </p>
    </ActionForm>
  </details>
)

export const Endpoints = ({
  visit,
  endpoints,
  canManage,
}: {
  visit: Visit
  endpoints: readonly Endpoint[]
  canManage: boolean
}) => (
  <section aria-labelledby="endpoints">
    <h2 id="endpoints">Webhook endpoints</h2>
    <Table
      caption="Webhook endpoints"
      columns={['URL', 'Status', 'Failing since']}
      empty="No endpoint: this partner reads the event feed, or nothing."
      rows={endpoints.map((one) => [
        <span class="wrap">{one.url}</span>,
        one.status,
        one.failingSince === null ? '' : <Moment at={one.failingSince} />,
      ])}
    />
    {canManage ? (
      <ActionForm visit={visit} action="endpoint" name="Add an endpoint" class="inline">
        <ActionField id="url" name="url" label="URL" required />
      </ActionForm>
    ) : null}
  </section>
)

export const People = ({
  visit,
  people,
  canManage,
}: {
  visit: Visit
  people: Awaited<ReturnType<typeof listPortalUsers>>
  canManage: boolean
}) => (
  <section aria-labelledby="people">
    <h2 id="people">People with access to the portal</h2>
    <Table
      caption="People with access to the portal"
      columns={['E-mail address', 'Role', 'State']}
      empty="Nobody."
      rows={people.map((one) => [
        <span class="wrap">{one.email}</span>,
        one.role,
        one.disabledAt !== null ? 'disabled' : one.isInvited ? 'invited' : 'active',
      ])}
    />
    {canManage ? (
      <ActionForm visit={visit} action="invite" name="Invite" class="inline">
        <ActionField id="email" name="email" label="E-mail address" required />
        <div class="field">
          <label for="role">Role</label>
          <select id="role" name="role">
            {portalRoles.map((role) => (
              <option key={role} value={role} selected={role === 'admin'}>
                {role}
              </option>
            ))}
          </select>
        </div>
      </ActionForm>
    ) : null}
  </section>
)
