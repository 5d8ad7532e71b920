import type { ComponentChildren } from 'preact'

import { findOrders, type FoundOrder } from '../../exchange/reports/find-orders.ts'
import { listNotes, searchNotes } from '../../exchange/reports/search-limits.ts'
import { readTransaction } from '../../exchange/transactions/read.ts'
import { readId } from '../../platform/lib/ids.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { OrderFilters, OrderPager, searchOf } from '../pages/order-search.tsx'
import { Amount, Facts, Moment, StatusLabel, Table } from '../pages/table.tsx'
import { csvIncomplete, csvLine } from '../ui/csv.ts'
import { Notice } from '../ui/notice.tsx'
import { type Page, renderPage, type Visit } from './page.ts'

const pageSize = 50
const csvSize = 10_000

export const orderColumns = ['Order', 'Created', 'Status', 'Side', 'Pays', 'Receives', 'Customer']

/** One order in a list. */
export const orderRow = (order: FoundOrder): ComponentChildren[] => [
  <a href={`/portal/orders/${order.publicId}`}>{String(order.publicId)}</a>,
  <Moment at={order.createdAt} />,
  <StatusLabel status={order.status} details={order.statusDetails} />,
  order.side,
  <Amount amount={order.from.paid ?? order.from.expected} asset={order.from.asset} />,
  <Amount amount={order.to.paid ?? order.to.expected} asset={order.to.asset} />,
  <span class="wrap">{order.email ?? ''}</span>,
]

/** The search of a query among the partner's own orders, whatever partner the query names. */
const ownSearch = ({ query, user }: Visit, limit: number) => ({
  ...searchOf(query, limit, true),
  partnerId: user.partnerId,
})

/** `/portal/orders`: the partner's orders. */
export const ordersPage: Page = {
  path: '/portal/orders',
  show: async (visit) => {
    const search = ownSearch(visit, pageSize)
    const { orders, hasMore, cut } = await findOrders(visit.ctx, search)
    const page = (
      <>
        <OrderFilters area="portal" query={visit.query} />
        {searchNotes(cut).map((note) => (
          <Notice kind="plain">{note}</Notice>
        ))}
        <Table
          caption="Orders, newest first"
          columns={orderColumns}
          empty="No order matches."
          rows={orders.map(orderRow)}
        />
        <OrderPager area="portal" query={visit.query} page={search.page} hasMore={hasMore} />
      </>
    )
    return { body: renderPage(visit, 'Orders', page) }
  },
}

const csvColumns = [
  'id',
  'created_at',
  'status',
  'status_details',
  'side',
  'email',
  'from_asset',
  'from_amount',
  'to_asset',
  'to_amount',
]

/** The same as a file, up to ten thousand orders. A file that is not whole says so in its name and in its last line. */
export const ordersCsv: Page = {
  path: '/portal/orders.csv',
  show: async (visit) => {
    const { orders, ...rest } = await findOrders(visit.ctx, { ...ownSearch(visit, csvSize), page: 1 })
    const notes = listNotes(rest, csvSize)
    const lines = orders.map((one) =>
      csvLine([
        String(one.publicId),
        one.createdAt.toISOString(),
        one.status,
        one.statusDetails,
        one.side,
        one.email,
        one.from.asset,
        one.from.paid ?? one.from.expected,
        one.to.asset,
        one.to.paid ?? one.to.expected,
      ]),
    )
    return {
      body: csvLine(csvColumns) + lines.join('') + csvIncomplete(notes, csvColumns.length),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="orders${notes.length === 0 ? '' : '-incomplete'}.csv"` },
    }
  },
}

/** `/portal/orders/{id}`: one order, with the same fields as in the API. */
export const orderPage: Page = {
  path: '/portal/orders/:id',
  show: async (visit) => {
    const id = readId(visit.params.id ?? '')
    const record = id === undefined ? undefined : await readTransaction(visit.ctx, visit.user.partnerId, id)
    if (!record) throw new Refusal('NOT_FOUND', 'There is no such order.')
    const { status_history: history, ...fields } = record
    const page = (
      <>
        <Facts facts={summaryOf(record)} />
        <section aria-labelledby="history">
          <h2 id="history">What happened</h2>
          <Table
            caption="Status by time"
            columns={['At', 'Status', 'Reason']}
            empty="Nothing yet."
            rows={history.map((one) => [
              <Moment at={new Date(one.at)} />,
              <StatusLabel status={one.status} />,
              one.reason ?? '',
            ])}
          />
        </section>
        <section aria-labelledby="fields">
          <h2 id="fields">As in the API</h2>
          <Facts facts={Object.entries(fields).flatMap(([name, value]) => factOf(name, value))} />
        </section>
        <section aria-labelledby="webhooks">
          <h2 id="webhooks">Webhooks</h2>
          <p>
            Each change is an event whose id begins with <code>evt_{record.id}</code>.{' '}
            <a href="/portal/events">Find its deliveries</a>
          </p>
        </section>
      </>
    )
    return { body: renderPage(visit, `Order ${record.id}`, page) }
  },
}

/** What somebody asks first. */
function summaryOf(record: NonNullable<Awaited<ReturnType<typeof readTransaction>>>): [string, ComponentChildren][] {
  const paid = record.from_amount === '0' ? record.expected_from_amount : record.from_amount
  return [
    ['Status', <StatusLabel status={record.status} details={record.status_details} />],
    ['Created', <Moment at={new Date(record.created_at)} />],
    ['Pays', <Amount amount={paid} asset={`${record.from_currency}-${record.from_network}`} />],
    [
      'Receives',
      <Amount
        amount={record.to_amount ?? record.expected_to_amount}
        asset={`${record.to_currency}-${record.to_network}`}
      />,
    ],
  ]
}

/** A field of the record; empty ones are left out, and parts of parts are shown as JSON. */
function factOf(name: string, value: unknown): [string, ComponentChildren][] {
  const isEmpty = value === null || value === '' || (Array.isArray(value) && value.length === 0)
  if (isEmpty) return []
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return [[name, <span class="wrap">{text}</span>]]
}
