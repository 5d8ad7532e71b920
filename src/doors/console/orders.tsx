import { recordAudit } from '../../exchange/audit/audit.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { findOrders, type FoundOrder, type OrderPage } from '../../exchange/reports/find-orders.ts'
import { listNotes, searchNotes } from '../../exchange/reports/search-limits.ts'
import { csvIncomplete, csvLine } from '../ui/csv.ts'
import { Notice } from '../ui/notice.tsx'
import { OrderFilters, OrderPager, searchOf } from '../pages/order-search.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Amount, Moment, StatusLabel, Table } from '../pages/table.tsx'

const pageSize = 50
const csvSize = 10_000

/** `/console/orders`: search and filters over all orders. */
export const ordersPage: Page = {
  path: '/console/orders',
  needs: 'orders.view',
  show: async (visit) => {
    const search = searchOf(visit.query, pageSize, visit.may('customers.view'))
    const list = await findOrders(visit.ctx, search)
    return { body: renderPage(visit, 'Orders', <OrderList visit={visit} list={list} page={search.page} />) }
  },
}

const columns = [
  'id',
  'created_at',
  'status',
  'status_details',
  'side',
  'partner_id',
  'partner',
  'email',
  'from_asset',
  'expected_from_amount',
  'from_amount',
  'to_asset',
  'expected_to_amount',
  'to_amount',
]

/** The same as a file, up to ten thousand orders. A file that is not whole says so in its name and in its last line. */
export const ordersCsv: Page = {
  path: '/console/orders.csv',
  needs: 'orders.view',
  show: async (visit) => {
    const { orders, ...rest } = await findOrders(visit.ctx, {
      ...searchOf(visit.query, csvSize, visit.may('customers.view')),
      page: 1,
    })
    if (visit.may('customers.view')) await noteExport(visit, orders.length)
    const notes = listNotes(rest, csvSize)
    const lines = orders.map((order) => csvLine(cellsOf(visit, order)))
    const name = notes.length === 0 ? 'orders.csv' : 'orders-incomplete.csv'
    return {
      body: csvLine(columns) + lines.join('') + csvIncomplete(notes, columns.length),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="${name}"` },
    }
  },
}

/** Who took whole addresses away is in the audit. */
const noteExport = ({ ctx, operator }: Visit, rows: number): Promise<void> =>
  ctx.db.atomic((db) => {
    const actor = operatorSubject({ id: operator.operatorId })
    recordAudit(db, {
      at: ctx.clock.now(),
      actor,
      action: 'orders.exported',
      subject: 'orders',
      before: null,
      after: { rows },
    })
    return Promise.resolve()
  })

const cellsOf = (visit: Visit, order: FoundOrder): (string | null)[] => [
  String(order.publicId),
  order.createdAt.toISOString(),
  order.status,
  order.statusDetails,
  order.side,
  String(order.partnerId),
  order.partnerName,
  emailFor(visit, order.email),
  order.from.asset,
  order.from.expected,
  order.from.paid,
  order.to.asset,
  order.to.expected,
  order.to.paid,
]

/** Who may not see personal data sees that there is an address, and no more. */
export const emailFor = ({ may }: Pick<Visit, 'may'>, email: string | null): string =>
  email === null ? '' : may('customers.view') ? email : `${email.slice(0, 1)}…@${email.split('@')[1] ?? ''}`

function OrderList({ visit, list, page }: { visit: Visit; list: OrderPage; page: number }) {
  const { query } = visit
  const { orders, hasMore, cut } = list
  return (
    <>
      <OrderFilters area="console" query={query} />
      {searchNotes(cut).map((note) => (
        <Notice kind="plain">{note}</Notice>
      ))}
      <Table
        caption="Orders, newest first"
        columns={['Order', 'Created', 'Status', 'Side', 'Pays', 'Receives', 'Customer', 'Partner']}
        empty="No order matches."
        rows={orders.map((order) => [
          <a href={`/console/orders/${order.publicId}`}>{String(order.publicId)}</a>,
          <Moment at={order.createdAt} />,
          <StatusLabel status={order.status} details={order.statusDetails} />,
          order.side,
          <Amount amount={order.from.paid ?? order.from.expected} asset={order.from.asset} />,
          <Amount amount={order.to.paid ?? order.to.expected} asset={order.to.asset} />,
          <span class="wrap">{emailFor(visit, order.email)}</span>,
          order.partnerName,
        ])}
      />
      <OrderPager area="console" query={query} page={page} hasMore={hasMore} />
    </>
  )
}
