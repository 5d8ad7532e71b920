import type { OrderSearch } from '../../exchange/reports/find-orders.ts'
import { readId } from '../../platform/lib/ids.ts'
import type { Area } from './cookie.ts'

/** What a query asks of the list of orders; unreadable values count as absent. `byEmail`: the text may be part of an e-mail address. */
export function searchOf(query: URLSearchParams, limit: number, byEmail: boolean): OrderSearch {
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
    byEmail,
  }
}

/** The start of a day, or of one after it; undefined for what is no time. `until` includes its day. */
export function dayIn(text: string | undefined, daysAfter: number): Date | undefined {
  if (text === undefined || !/^\d{4}-\d\d-\d\d(T[\d:.]+Z?)?$/.test(text)) return undefined
  const isDay = text.length === 10
  const at = new Date(isDay ? `${text}T00:00:00Z` : text)
  if (Number.isNaN(at.getTime())) return undefined
  return isDay ? new Date(at.getTime() + daysAfter * 86_400_000) : at
}

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

/** The search and its filters, as a form that works without scripts. */
export function OrderFilters({ area, query }: { area: Area; query: URLSearchParams }) {
  const value = (name: string): string => query.get(name) ?? ''
  return (
    <form class="filters" method="get" action={`/${area}/orders`}>
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
      {area === 'portal' || value('partner') === '' ? null : (
        <input type="hidden" name="partner" value={value('partner')} />
      )}
      <button type="submit" class="button">
        Search
      </button>
    </form>
  )
}

/** A choice among values, or any. */
export const Choice = ({
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

/** Links to the pages around this one, and to the same list as a file. */
export function OrderPager({
  area,
  query,
  page,
  hasMore,
}: {
  area: Area
  query: URLSearchParams
  page: number
  hasMore: boolean
}) {
  const at = (changes: Record<string, string>): string => {
    const next = new URLSearchParams([...query].filter(([, value]) => value !== ''))
    for (const [name, value] of Object.entries(changes)) next.set(name, value)
    return next.toString()
  }
  return (
    <p class="pager">
      {page > 1 ? <a href={`/${area}/orders?${at({ page: String(page - 1) })}`}>Newer</a> : null}
      {hasMore ? <a href={`/${area}/orders?${at({ page: String(page + 1) })}`}>Older</a> : null}
      <a href={`/${area}/orders.csv?${at({})}`}>Download as CSV</a>
    </p>
  )
}
