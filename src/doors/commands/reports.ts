import { moment } from '../../exchange/actions/values.ts'
import { findOrders } from '../../exchange/reports/find-orders.ts'
import { isJournalFormat, journalOf } from '../../exchange/reports/journal.ts'
import { reportOf, type ReportSpan, spanOf } from '../../exchange/reports/report.ts'
import { listNotes } from '../../exchange/reports/search-limits.ts'
import { csvIncomplete, csvLine } from '../ui/csv.ts'
import { reportColumns, reportLines, totalOf } from '../ui/report-figures.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { layOut } from './layout.ts'
import { idOfFlag, valueOfFlag } from './read-id.ts'

/** A day, a week or a month: counts, volume, fees and profit by partner, side and coin. */
export const report =
  (span: ReportSpan) =>
  (input: Invocation): Promise<Answer> =>
    input.exchange(async (ctx) => {
      const period = spanOf(span, input.flags.date ?? ctx.clock.now().toISOString().slice(0, 10))
      const rows = await reportOf(ctx, period, idOfFlag(input, 'partner'))
      const shown = reportLines(rows)
      const total = totalOf(rows)
      const [from, to] = [period.since.toISOString(), period.until.toISOString()]
      if (input.flags.csv !== undefined) return { json: { from, to, rows: shown, total }, text: csvOf(shown).trimEnd() }
      return { json: { from, to, rows: shown, total }, text: `${layOut(shown)}\n\n${layOut({ from, to, ...total })}` }
    })

const csvOf = (rows: readonly Record<string, string | number>[]): string =>
  csvLine(reportColumns) + rows.map((row) => csvLine(Object.values(row).map(String))).join('')

/** The ledger's entries of a month. */
export const journal = (input: Invocation): Promise<Answer> => {
  const { month = '', format = 'csv' } = input.flags
  if (!isJournalFormat(format)) throw new WrongUsage('--format is csv or ledger.')
  return input.patientExchange(async (ctx) => {
    const parts: string[] = []
    for await (const part of journalOf(ctx, month, format)) parts.push(part)
    return { json: { month, format, journal: parts.join('') }, text: parts.join('').trimEnd() }
  })
}

const mostListed = 1_000

/** Orders of all partners, the newest first; the text of a search means what it means in the console. */
export const listOrders = (input: Invocation): Promise<Answer> => {
  const { status, side, email, amount, hash } = input.flags
  const texts = [email, amount, hash].filter((one) => one !== undefined)
  if (texts.length > 1) throw new WrongUsage('Search by one of --email, --amount and --hash.')
  return input.exchange(async (ctx) => {
    const { orders, ...rest } = await findOrders(ctx, {
      text: texts[0],
      status,
      side,
      partnerId: idOfFlag(input, 'partner'),
      since: valueOfFlag(input, 'since', moment),
      until: valueOfFlag(input, 'until', moment),
      page: 1,
      limit: mostListed,
      byEmail: email !== undefined,
    })
    const json = orders.map((one) => ({
      id: String(one.publicId),
      created_at: one.createdAt.toISOString(),
      status: one.status,
      status_details: one.statusDetails,
      side: one.side,
      partner_id: String(one.partnerId),
      email: one.email,
      from_asset: one.from.asset,
      expected_from_amount: one.from.expected,
      from_amount: one.from.paid,
      to_asset: one.to.asset,
      expected_to_amount: one.to.expected,
      to_amount: one.to.paid,
    }))
    const notes = listNotes(rest, mostListed)
    const columns = Object.keys(json[0] ?? {})
    const csv = csvLine(columns) + json.map((row) => csvLine(Object.values(row))).join('')
    if (json.length === 0) return { json, text: ['No order matches.', ...notes].join('\n') }
    if (input.flags.csv !== undefined) return { json, text: (csv + csvIncomplete(notes, columns.length)).trimEnd() }
    return { json, text: [layOut(json), ...notes].join('\n') }
  })
}
