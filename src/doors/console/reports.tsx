import { Readable } from 'node:stream'

import { listPartners } from '../../exchange/partners/find.ts'
import { flowOf } from '../../exchange/reports/flow.ts'
import { isJournalFormat, journalOf } from '../../exchange/reports/journal.ts'
import { reportOf, type ReportRow, spanOf } from '../../exchange/reports/report.ts'
import { profitAndLoss, type ProfitRow } from '../../exchange/treasury/profit.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { BarChart } from '../pages/bar-chart.tsx'
import { Amount, Table } from '../pages/table.tsx'
import { csvLine } from '../ui/csv.ts'
import { euros, reportColumns, reportLines, totalOf } from '../ui/report-figures.ts'
import { renderPage } from './layout.tsx'
import type { Page, Visit } from './page.ts'
import { Flow } from './report-flow.tsx'

/** How many days of profit are shown: those that end with the span. */
const profitDays = 14

/** `/console/reports`: a day, a week or a month by partner, side and coin; profit by day; conversion, rails, and what went back; the journal of a month. */
export const reportsPage: Page = {
  path: '/console/reports',
  needs: 'reports.view',
  show: async (visit) => {
    const { ctx } = visit
    const { span, date, since, until } = periodOf(visit)
    const last = dayOf(new Date(until.getTime() - 1))
    const first = dayOf(new Date(until.getTime() - profitDays * dayMs))
    const rows = await reportOf(ctx, { since, until })
    const flow = await flowOf(ctx, { since, until })
    const [partners, profit] = [await listPartners(ctx), await profitAndLoss(ctx, { since: first, until: last })]
    const names = new Map(partners.map(({ id, name }) => [String(id), name]))
    const page = (
      <>
        <form method="get" class="filters">
          <div class="field">
            <label for="span">Span</label>
            <select id="span" name="span">
              {spans.map((one) => (
                <option key={one} value={one} selected={one === span}>
                  {one}
                </option>
              ))}
            </select>
          </div>
          <div class="field">
            <label for="date">Day in it</label>
            <input id="date" name="date" type="date" value={date} />
          </div>
          <button type="submit" class="button">
            Show
          </button>
        </form>
        <section aria-labelledby="orders">
          <h2 id="orders">
            Orders from {dayOf(since)} to {last}
          </h2>
          <ReportTable rows={rows} names={names} />
          <p class="pager">
            <a href={`/console/reports.csv?span=${span}&date=${date}`}>Download as CSV</a>
          </p>
        </section>
        <ProfitByDay rows={profit} until={until} />
        <Flow flow={flow} />
        <JournalForm month={date.slice(0, 7)} />
      </>
    )
    return { body: renderPage(visit, 'Reports', page) }
  },
}

/** The first table of the page as a file. */
export const reportsCsv: Page = {
  path: '/console/reports.csv',
  needs: 'reports.view',
  show: async (visit) => {
    const { span, date, since, until } = periodOf(visit)
    const lines = reportLines(await reportOf(visit.ctx, { since, until }))
    return {
      body: [reportColumns, ...lines.map((line) => Object.values(line).map(String))].map(csvLine).join(''),
      type: 'text/csv; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="report-${span}-${date}.csv"` },
    }
  },
}

const spans = ['day', 'week', 'month'] as const
const dayMs = 86_400_000
const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

/** The span that the query names; without one, today. */
function periodOf({ ctx, query }: Visit) {
  const span = spans.find((one) => one === query.get('span')) ?? 'day'
  const date = query.get('date') || dayOf(ctx.clock.now())
  return { span, date, ...spanOf(span, date) }
}

function ReportTable({ rows, names }: { rows: readonly ReportRow[]; names: ReadonlyMap<string, string> }) {
  const cells = ({
    created,
    paid,
    finished,
    refunded,
    volume_eur,
    fees_eur,
    profit_eur,
  }: ReturnType<typeof totalOf>) => [
    created,
    paid,
    finished,
    refunded,
    ...[volume_eur, fees_eur, profit_eur].map((amount) => <Amount amount={amount} asset="EUR-EUR" />),
  ]
  return (
    <Table
      caption="By partner, side and coin"
      columns={['Partner', 'Side', 'Coin', 'Created', 'Paid', 'Finished', 'Refunded', 'Volume', 'Fees', 'Profit']}
      empty="Nothing happened."
      rows={
        rows.length === 0
          ? []
          : [
              ...reportLines(rows).map(({ partner_id, side, asset, ...line }) => [
                <a href={`/console/partners/${partner_id}`}>{names.get(partner_id) ?? partner_id}</a>,
                side,
                asset,
                ...cells(line),
              ]),
              [<strong>Total</strong>, '', '', ...cells(totalOf(rows))],
            ]
      }
    />
  )
}

const profitParts = [
  'spread',
  'fees',
  'methodCosts',
  'networkCosts',
  'hedging',
  'drift',
  'revaluation',
  'total',
] as const
const profitNames = [
  'Day',
  'Spread',
  'Fees',
  'Method costs',
  'Network costs',
  'Hedging',
  'Drift',
  'Revaluation',
  'Total',
]

/** Profit and loss by day with its parts: why it rose or fell. */
function ProfitByDay({ rows, until }: { rows: readonly ProfitRow[]; until: Date }) {
  const days = Array.from({ length: profitDays }, (_, index) =>
    dayOf(new Date(until.getTime() - (profitDays - index) * dayMs)),
  )
  const booked = new Set(rows.map(({ day }) => day))
  const sums = days.map((day) => {
    const own = rows.filter((row) => row.day === day)
    return { day, parts: profitParts.map((part) => own.reduce((sum, row) => sum + row[part], 0n)) }
  })
  const bars = sums.map(({ day, parts }) => {
    const total = parts.at(-1) ?? 0n
    return { name: day, value: total, text: `${euros(total)} EUR` }
  })
  return (
    <section aria-labelledby="profit">
      <h2 id="profit">Profit and loss</h2>
      <BarChart bars={bars} label="Profit by day, in EUR" />
      <Table
        caption="By day, in EUR"
        columns={profitNames}
        empty="Nothing was booked on these days."
        rows={sums
          .filter(({ day }) => booked.has(day))
          .toReversed()
          .map(({ day, parts }) => [day, ...parts.map((units) => <Amount amount={euros(units)} asset="EUR-EUR" />)])}
      />
    </section>
  )
}

const JournalForm = ({ month }: { month: string }) => (
  <section aria-labelledby="journal">
    <h2 id="journal">The journal</h2>
    <p class="hint">
      Every posting of a month, double-entry, to the last unit. The plain-text form is read by Ledger and hledger.
    </p>
    <form method="get" action="/console/reports/journal" class="filters">
      <div class="field">
        <label for="month">Month</label>
        <input id="month" name="month" type="month" value={month} required />
      </div>
      <div class="field">
        <label for="format">Format</label>
        <select id="format" name="format">
          <option value="csv">CSV</option>
          <option value="ledger">Plain text</option>
        </select>
      </div>
      <button type="submit" class="button">
        Download
      </button>
    </form>
  </section>
)

async function* whole(head: string, parts: AsyncGenerator<string>): AsyncGenerator<string> {
  yield head
  yield* parts
}

/** `/console/reports/journal?month=2026-10&format=csv|ledger`. */
export const journalFile: Page = {
  path: '/console/reports/journal',
  needs: 'reports.view',
  show: async ({ ctx, query }) => {
    const [month, format] = [query.get('month') ?? '', query.get('format') ?? 'csv']
    if (!isJournalFormat(format)) throw new Refusal('BAD_REQUEST', 'The format is csv or ledger.')
    const parts = journalOf(ctx, month, format)
    // A wrong month is refused before anything is sent.
    const head = await parts.next()
    const isCsv = format === 'csv'
    return {
      body: Readable.from(whole(head.done === true ? '' : head.value, parts)),
      type: isCsv ? 'text/csv; charset=utf-8' : 'text/plain; charset=utf-8',
      headers: { 'content-disposition': `attachment; filename="journal-${month}.${isCsv ? 'csv' : 'ledger'}"` },
    }
  },
}
