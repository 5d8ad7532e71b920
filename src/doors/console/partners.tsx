import { apiKeyActions, newApiKeyActions } from '../../exchange/actions/api-keys.ts'
import { endpointActions, newEndpointActions, replayActions } from '../../exchange/actions/endpoints.ts'
import {
  featureActions,
  newPartnerActions,
  partnerActions,
  settingsActions,
  themeActions,
} from '../../exchange/actions/partners.ts'
import { payoutAddressActions } from '../../exchange/actions/payout-addresses.ts'
import { newPeopleActions, peopleActions, personNamed } from '../../exchange/actions/people.ts'
import { listAudit } from '../../exchange/audit/audit.ts'
import { listPartners, showPartner } from '../../exchange/partners/find.ts'
import type { Partner } from '../../exchange/partners/partner.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { Facts, Moment, Table } from '../pages/table.tsx'
import { actOn, formsOf } from '../pages/actions.tsx'
import { renderPage } from './layout.tsx'
import { group, type Page, type Visit } from './page.ts'
import { addressesPart, endpointsPart, featuresPart, keysPart, peoplePart, Policies } from './partner-parts.tsx'
import { whoIs } from './who.ts'

/** `/console/partners`: every partner account, and a form that makes one. */
export const partnersPage: Page = {
  path: '/console/partners',
  needs: 'partners.view',
  show: async (visit) => {
    const partners = await listPartners(visit.ctx)
    const page = (
      <>
        <Table
          caption="Partners"
          columns={['Partner', 'Id', 'State', 'Created']}
          empty="There is no partner yet."
          rows={partners.map((one) => [
            <a href={`/console/partners/${one.id}`}>{one.name}</a>,
            String(one.id),
            one.disabledAt === null ? 'active' : 'disabled',
            <Moment at={one.createdAt} />,
          ])}
        />
        <div class="actions">{await formsOf(visit, newPartnerActions, undefined)}</div>
      </>
    )
    return { body: renderPage(visit, 'Partners', page) }
  },
  act: actOn([group(newPartnerActions)]),
}

/** `/console/partners/{id}`: one account: keys, webhook endpoints, settings, people and what changed. */
export const partnerPage: Page = {
  path: '/console/partners/:id',
  needs: 'partners.view',
  show: async (visit) => {
    const partner = await wanted(visit)
    return { body: renderPage(visit, partner.name, await partnerOf(visit, partner)) }
  },
  act: (visit) => {
    const about = { about: wanted }
    return actOn([
      group(
        [
          ...newApiKeyActions,
          ...newEndpointActions,
          ...newPeopleActions,
          ...settingsActions,
          ...themeActions,
          ...featureActions,
          ...partnerActions,
        ],
        about,
      ),
      group(peopleActions, {
        about: async (own) => personNamed(own.ctx, (await wanted(own)).id, own.form.get('email') ?? ''),
      }),
      group(apiKeyActions),
      group([...endpointActions, ...replayActions]),
      group(payoutAddressActions),
    ])(visit)
  },
}

async function wanted({ ctx, params }: Visit): Promise<Partner> {
  const id = readId(params.id ?? '')
  if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such partner.')
  return showPartner(ctx, id)
}

async function partnerOf(visit: Visit, partner: Partner) {
  const { ctx } = visit
  const { id } = partner
  const [changes, nameOf] = await Promise.all([listAudit(ctx.db, { partnerId: id, limit: 50 }), whoIs(ctx)])
  return (
    <>
      <Facts
        facts={[
          ['Id', String(id)],
          ['State', partner.disabledAt === null ? 'active' : 'disabled: no key is valid'],
          ['Created', <Moment at={partner.createdAt} />],
          ['Orders', <a href={`/console/orders?partner=${id}`}>All orders of this partner</a>],
        ]}
      />
      {await keysPart(visit, partner)}
      {await endpointsPart(visit, partner)}
      {await addressesPart(visit, partner)}
      <Policies visit={visit} partner={partner} />
      <div class="actions">{await formsOf(visit, [...settingsActions, ...themeActions], partner)}</div>
      {await featuresPart(visit, partner)}
      {await peoplePart(visit, partner)}
      <div class="actions">{await formsOf(visit, partnerActions, partner)}</div>
      <section aria-labelledby="changes">
        <h2 id="changes">Changes</h2>
        <Table
          caption="Changes of this account"
          columns={['At', 'Who', 'What']}
          empty="Nothing was changed."
          rows={changes.map((one) => [<Moment at={one.at} />, nameOf(one.actor), one.action])}
        />
      </section>
    </>
  )
}
