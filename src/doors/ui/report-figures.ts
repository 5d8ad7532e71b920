import type { ReportRow } from '../../exchange/reports/report.ts'

/** The numbers of one line of a report, or of a sum of lines. */
type ReportFigures = Omit<ReportRow, 'partner_id' | 'side' | 'asset'>

const worthDecimals = 8

/** Units of 10^-8 EUR as a decimal text with all its digits. */
export function euros(units: bigint): string {
  const digits = String(units < 0n ? -units : units).padStart(worthDecimals + 1, '0')
  return `${units < 0n ? '-' : ''}${digits.slice(0, -worthDecimals)}.${digits.slice(-worthDecimals)}`
}

const nothing: ReportFigures = { created: 0n, paid: 0n, finished: 0n, refunded: 0n, volume: 0n, fees: 0n, profit: 0n }

const add = (one: ReportFigures, other: ReportFigures): ReportFigures => ({
  created: one.created + other.created,
  paid: one.paid + other.paid,
  finished: one.finished + other.finished,
  refunded: one.refunded + other.refunded,
  volume: one.volume + other.volume,
  fees: one.fees + other.fees,
  profit: one.profit + other.profit,
})

const count = (value: bigint): number => Number.parseInt(String(value), 10)

/** The numbers under the names that programs read. */
const figures = ({ created, paid, finished, refunded, volume, fees, profit }: ReportFigures) => ({
  created: count(created),
  paid: count(paid),
  finished: count(finished),
  refunded: count(refunded),
  volume_eur: euros(volume),
  fees_eur: euros(fees),
  profit_eur: euros(profit),
})

/** The sum of a report's lines. */
export const totalOf = (rows: readonly ReportRow[]) => figures(rows.reduce<ReportFigures>(add, nothing))

/** A report's lines under the names that programs read. */
export const reportLines = (rows: readonly ReportRow[]) =>
  rows.map((row) => ({ partner_id: String(row.partner_id), side: row.side, asset: row.asset, ...figures(row) }))

/** The columns of a report as a file. */
export const reportColumns = ['partner_id', 'side', 'asset', ...Object.keys(figures(nothing))]
