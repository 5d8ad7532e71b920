import { apiKeyActions, newApiKeyActions } from '../../exchange/actions/api-keys.ts'
import { endpointActions, newEndpointActions, replayActions } from '../../exchange/actions/endpoints.ts'
import { featureActions } from '../../exchange/actions/partners.ts'
import { payoutAddressActions } from '../../exchange/actions/payout-addresses.ts'
import { newPeopleActions, peopleActions } from '../../exchange/actions/people.ts'
import { listKeys } from '../../exchange/partners/keys.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { type PayoutAddress, payoutAddressRecord } from '../../exchange/partners/payout-address.ts'
import { listPayoutAddresses } from '../../exchange/partners/payout-addresses.ts'
import { listPortalUsers } from '../../exchange/partners/portal-users.ts'
import { featureNames } from '../../exchange/partners/settings.ts'
import { listEndpoints } from '../../exchange/webhooks/endpoint.ts'
import { keyCells, keyColumns } from '../pages/keys.tsx'
import { Facts, Moment, spaced, Table } from '../pages/table.tsx'
import { formsOf } from '../pages/actions.tsx'
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

/** Its API keys. */
export async function keysPart(visit: Visit, partner: Partner) {
  const keys = await listKeys(visit.ctx, partner.id)
  const rows = keys.map(async (one) => [
    ...keyCells(one, visit.ctx.clock.now()),
    await formsOf(visit, apiKeyActions, one, String(one.id)),
  ])
  return (
    <section aria-labelledby="keys">
      <h2 id="keys">API keys</h2>
      <Table
        caption="API keys"
        columns={[...keyColumns, 'Change']}
        empty="There is no key."
        rows={await Promise.all(rows)}
      />
      <div class="actions">{await formsOf(visit, newApiKeyActions, partner)}</div>
    </section>
  )
}

export async function endpointsPart(visit: Visit, partner: Partner) {
  const endpoints = await listEndpoints(visit.ctx, partner.id)
  const rows = endpoints.map(async (one) => [
    <span class="wrap">{one.url}</span>,
    one.status,
    one.failingSince === null ? '' : <Moment at={one.failingSince} />,
    await formsOf(visit, [...endpointActions, ...replayActions], one, String(one.id)),
  ])
  return (
    <section aria-labelledby="endpoints">
      <h2 id="endpoints">Webhook endpoints</h2>
      <Table
        caption="Webhook endpoints"
        columns={['URL', 'Status', 'Failing since', 'Change']}
        empty="No endpoint: this partner reads the event feed, or nothing."
        rows={await Promise.all(rows)}
      />
      <div class="actions">{await formsOf(visit, newEndpointActions, partner)}</div>
    </section>
  )
}

/** Where its B2B transactions may pay out to; nothing where there is none. */
export async function addressesPart(visit: Visit, partner: Partner) {
  const addresses = await listPayoutAddresses(visit.ctx, partner.id)
  if (addresses.length === 0) return null
  const rows = addresses.map(async (one) => [
    <AddressOf address={one} />,
    spaced(one.status),
    <Moment at={one.activeFrom} />,
    await formsOf(visit, payoutAddressActions, one, String(one.id)),
  ])
  return (
    <section aria-labelledby="addresses">
      <h2 id="addresses">Payout addresses</h2>
      <Table
        caption="Payout addresses"
        columns={['Address', 'Status', 'Active from', 'Decide']}
        empty=""
        rows={await Promise.all(rows)}
      />
    </section>
  )
}

/** What somebody compares with what the partner says before it is approved: an account shows the ends of its number, as the partner sees it. */
function AddressOf({ address }: { address: PayoutAddress }) {
  const record = payoutAddressRecord(address)
  const { currency, network } = record
  const { holder, extraId, intermediary } = address.details
  const facts: [name: string, value: string][] = [
    ['Id', record.id],
    ['Label', record.label],
    ['Pays', [currency || 'any currency', ...(network === '' ? [] : [`on ${network}`])].join(' ')],
    ['By', spaced(record.payment_category)],
    ...('account_number' in record
      ? ([
          ['Account', record.account_number],
          ['BIC', extraId],
          ['Holder', holder],
          ['Through', intermediary?.bankName ?? ''],
        ] satisfies [string, string][])
      : ([
          ['Address', record.address],
          ['Memo or tag', record.extra_id],
        ] satisfies [string, string][])),
  ]
  return (
    <Facts
      facts={facts.filter(([, fact]) => fact !== '').map(([name, fact]) => [name, <span class="wrap">{fact}</span>])}
    />
  )
}

export async function featuresPart(visit: Visit, partner: Partner) {
  return (
    <section aria-labelledby="features">
      <h2 id="features">Features</h2>
      <Table
        caption="Features"
        columns={['Feature', 'State']}
        empty=""
        rows={featureNames.map((name) => [spaced(name), partner.settings.features[name] ? 'on' : 'off'])}
      />
      <div class="actions">{await formsOf(visit, featureActions, partner)}</div>
    </section>
  )
}

export async function peoplePart(visit: Visit, partner: Partner) {
  const people = await listPortalUsers(visit.ctx, partner.id)
  const forms = await Promise.all(people.map((one) => formsOf(visit, peopleActions, one, one.email)))
  return (
    <section aria-labelledby="people">
      <h2 id="people">People with access to the portal</h2>
      <Table
        caption="People with access to the portal"
        columns={['E-mail address', 'Role', 'State', 'Change']}
        empty="Nobody."
        rows={people.map((one, at) => [
          <span class="wrap">{one.email}</span>,
          one.role,
          one.disabledAt !== null ? 'disabled' : one.isInvited ? 'invited' : 'active',
          forms[at],
        ])}
      />
      <div class="actions">{await formsOf(visit, newPeopleActions, partner)}</div>
    </section>
  )
}
