import { recordAudit } from '../../exchange/audit/audit.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import { findOrders, type FoundOrder, type OrderPage, type OrderSearch } from '../../exchange/reports/find-orders.ts'
import { listNotes, searchNotes } from '../../exchange/reports/search-limits.ts'
import { readId } from '../../platform/lib/ids.ts'
import { csvIncomplete, csvLine } from '../ui/csv.ts'
import { Notice } from '../ui/notice.tsx'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Amount, Moment, StatusLabel, Table } from './table.tsx'

const pageSize = 50
const csvSize = 10_000

/** `/console/orders`: search and filters over all orders. */
export const ordersPage: Page = {
  path: '/console/orders',
  needs: 'orders.view',
  show: async (visit) => {
    const search = searchOf(visit, pageSize)
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
    const { orders, ...rest } = await findOrders(visit.ctx, { ...searchOf(visit, csvSize), page: 1 })
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

function searchOf({ query, may }: Pick<Visit, 'query' | 'may'>, limit: number): OrderSearch {
  const text = (name: string): string | undefined => query.get(name)?.trim().slice(0, 300) || undefined
  const page = Number.parseInt(query.get('page') ?? '1', 10)
  return {
    text: text('q'),
    status: text('status'),
    side: text('side'),
    asset: text('asset')?.toUpperCase(),
    partnerId: readId(text('partner') ?? ''),
    since: dayIn(text('since'), 0),
    until: dayIn(text('until'), 1),
    page: Number.isSafeInteger(page) && page > 0 && page <= 10_000 ? page : 1,
    limit,
    byEmail: may('customers.view'),
  }
}

/** The start of a day, or of one after it; undefined for what is no time. `until` includes its day. */
function dayIn(text: string | undefined, daysAfter: number): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(text)) return undefined
  const isDay = text.length === 10
  const at = new Date(isDay ? `${text}T00:00:00Z` : text)
  if (Number.isNaN(at.getTime())) return undefined
  return isDay ? new Date(at.getTime() + daysAfter * 86_400_000) : at
}

/** Who may not see personal data sees that there is an address, and no more. */
export const emailFor = ({ may }: Pick<Visit, 'may'>, email: string | null): string =>
  email === null ? '' : may('customers.view') ? email : `${email.slice(0, 1)}…@${email.split('@')[1] ?? ''}`

const statuses = [
  'new',
  'waiting_for_customer',
  'waiting_for_deposit',
  'on_hold',
  'exchanging',
  'sending',
  'finished',
  'refunded',
  'expired',
  'cancelled',
  'failed',
]

function OrderList({ visit, list, page }: { visit: Visit; list: OrderPage; page: number }) {
  const { query } = visit
  const { orders, hasMore, cut } = list
  const at = (changes: Record<string, string>): string => {
    const next = new URLSearchParams([...query, ...Object.entries(changes)].filter(([, value]) => value !== ''))
    for (const [name, value] of Object.entries(changes)) next.set(name, value)
    return next.toString()
  }
  return (
    <>
      <Filters query={query} />
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
      <p class="pager">
        {page > 1 ? <a href={`/console/orders?${at({ page: String(page - 1) })}`}>Newer</a> : null}
        {hasMore ? <a href={`/console/orders?${at({ page: String(page + 1) })}`}>Older</a> : null}
        <a href={`/console/orders.csv?${at({})}`}>Download as CSV</a>
      </p>
    </>
  )
}

function Filters({ query }: { query: URLSearchParams }) {
  const value = (name: string): string => query.get(name) ?? ''
  return (
    <form class="filters" method="get" action="/console/orders">
      <div class="field wide">
        <label for="q">Search</label>
        <input
          id="q"
          name="q"
          type="search"
          value={value('q')}
          placeholder="Id, part of an e-mail address, reference, hash, amount"
        />
      </div>
      <Choice name="status" label="Status" values={statuses} value={value('status')} />
      <Choice name="side" label="Side" values={['buy', 'sell', 'swap']} value={value('side')} />
      <div class="field">
        <label for="asset">Asset</label>
        <input id="asset" name="asset" value={value('asset')} placeholder="BTC or USDT-TRX" />
      </div>
      <div class="field">
        <label for="since">From day</label>
        <input id="since" name="since" type="date" value={value('since')} />
      </div>
      <div class="field">
        <label for="until">To day</label>
        <input id="until" name="until" type="date" value={value('until')} />
      </div>
      {value('partner') === '' ? null : <input type="hidden" name="partner" value={value('partner')} />}
      <button type="submit" class="button">
        Search
      </button>
    </form>
  )
}

const Choice = ({
  name,
  label,
  values,
  value,
}: {
  name: string
  label: string
  values: readonly string[]
  value: string
}) => (
  <div class="field">
    <label for={name}>{label}</label>
    <select id={name} name={name}>
      <option value="">Any</option>
      {values.map((one) => (
        <option key={one} value={one} selected={one === value}>
          {one.replaceAll('_', ' ')}
        </option>
      ))}
    </select>
  </div>
)
