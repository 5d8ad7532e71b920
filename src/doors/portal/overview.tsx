import { findOrders } from '../../exchange/reports/find-orders.ts'
import { deafStatuses, listEndpoints } from '../../exchange/webhooks/endpoint.ts'
import { Table } from '../pages/table.tsx'
import { Notice } from '../ui/notice.tsx'
import { orderColumns, orderRow } from './orders.tsx'
import { type Page, renderPage } from './page.ts'

const latest = 10

/** `/portal`: what needs attention, and the latest orders. */
export const overviewPage: Page = {
  path: '/portal',
  show: async (visit) => {
    const { ctx, user } = visit
    const [list, endpoints] = await Promise.all([
      findOrders(ctx, { partnerId: user.partnerId, page: 1, limit: latest, byEmail: false }),
      listEndpoints(ctx, user.partnerId),
    ])
    const failing = endpoints.filter(({ status }) => deafStatuses.includes(status))
    const page = (
      <>
        {failing.map((one) => (
          <Notice kind="plain">
            Webhooks to {new URL(one.url).host} {one.status === 'disabled' ? 'have been stopped' : 'fail'}.{' '}
            <a href={`/portal/events?endpoint=${one.id}`}>See the attempts</a>
          </Notice>
        ))}
        {endpoints.length === 0 ? (
          <Notice kind="plain">
            You have no webhook endpoint: your systems learn of changes by asking.{' '}
            <a href="/portal/docs">How to add one</a>
          </Notice>
        ) : null}
        <section aria-labelledby="latest">
          <h2 id="latest">Latest orders</h2>
          <Table
            caption="Latest orders"
            columns={orderColumns}
            empty="There is no order yet."
            rows={list.orders.map(orderRow)}
          />
          <p class="pager">
            <a href="/portal/orders">All orders</a>
          </p>
        </section>
      </>
    )
    return { body: renderPage(visit, user.partnerName, page) }
  },
}
