import { listAudit } from '../../exchange/audit/audit.ts'
import { listPartners, showPartner } from '../../exchange/partners/find.ts'
import { listEndpoints } from '../../exchange/webhooks/endpoint.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { renderPage } from './layout.tsx'
import type { Page } from './page.ts'
import { Facts, Moment, Table } from '../pages/table.tsx'

/** `/console/partners`: every partner account. */
export const partnersPage: Page = {
  path: '/console/partners',
  needs: 'partners.view',
  show: async (visit) => {
    const partners = await listPartners(visit.ctx)
    const table = (
      <Table
        caption="Partners"
        columns={['Partner', 'Id', 'Created']}
        empty="There is no partner yet."
        rows={partners.map((one) => [
          <a href={`/console/partners/${one.id}`}>{one.name}</a>,
          String(one.id),
          <Moment at={one.createdAt} />,
        ])}
      />
    )
    return { body: renderPage(visit, 'Partners', table) }
  },
}

/** `/console/partners/{id}`: one account, its endpoints and what changed. */
export const partnerPage: Page = {
  path: '/console/partners/:id',
  needs: 'partners.view',
  show: async (visit) => {
    const id = readId(visit.params.id ?? '')
    if (id === undefined) throw new Refusal('NOT_FOUND', 'There is no such partner.')
    const { ctx } = visit
    const partner = await showPartner(ctx, id)
    const [endpoints, changes] = await Promise.all([
      listEndpoints(ctx, id),
      listAudit(ctx.db, { partnerId: id, limit: 50 }),
    ])
    const page = (
      <>
        <Facts
          facts={[
            ['Id', String(partner.id)],
            ['Created', <Moment at={partner.createdAt} />],
            ['Orders', <a href={`/console/orders?partner=${partner.id}`}>All orders of this partner</a>],
          ]}
        />
        <section aria-labelledby="endpoints">
          <h2 id="endpoints">Webhook endpoints</h2>
          <Table
            caption="Webhook endpoints"
            columns={['URL', 'Status', 'Since']}
            empty="No endpoint: this partner reads the event feed, or nothing."
            rows={endpoints.map((one) => [
              <span class="wrap">{one.url}</span>,
              one.status,
              one.failingSince === null ? '' : <Moment at={one.failingSince} />,
            ])}
          />
        </section>
        <section aria-labelledby="changes">
          <h2 id="changes">Changes</h2>
          <Table
            caption="Changes of this account"
            columns={['At', 'Who', 'What']}
            empty="Nothing was changed."
            rows={changes.map((one) => [<Moment at={one.at} />, one.actor, one.action])}
          />
        </section>
      </>
    )
    return { body: renderPage(visit, partner.name, page) }
  },
}
