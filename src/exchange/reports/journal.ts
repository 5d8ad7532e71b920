import type { Ctx } from '../context.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import * as queries from './journal.sql.ts'

/** `csv`: one row a posting side. `ledger`: the plain-text format of Ledger, hledger and Beancount's importers. */
export type JournalFormat = 'csv' | 'ledger'

export const isJournalFormat = (text: string): text is JournalFormat => text === 'csv' || text === 'ledger'

const batch = 5_000

/**
 * The ledger's entries of a month (UTC, business time) as text, in parts. Amounts are decimals in whole units, debits positive; every
 * entry adds up to zero per asset. Refuses what is no month.
 */
export async function* journalOf(
  { db }: Pick<Ctx, 'db'>,
  month: string,
  format: JournalFormat,
): AsyncGenerator<string> {
  const { since, until } = readMonth(month)
  if (format === 'csv') yield 'date,entry_id,transaction_id,account,asset,amount,kind\n'
  else yield `; Cambio, ${month}\n`
  const [span] = await queries.idsBetween(db, { since, until })
  let after = (span?.first ?? 0n) - 1n
  for (;;) {
    const rows = await queries.entriesBetween(db, { since, until, after, upTo: span?.last ?? 0n, limit: batch })
    yield rows.map(format === 'csv' ? csvOf : ledgerOf).join('')
    const last = rows.at(-1)
    if (!last || rows.length < batch) return
    after = last.id
  }
}

function readMonth(text: string): { since: Date; until: Date } {
  const [, month = ''] = /^\d{4}-(0[1-9]|1[0-2])$/.exec(text) ?? []
  if (month === '') throw new Refusal('BAD_REQUEST', 'A month is written as in 2026-10.')
  const since = new Date(`${text}-01T00:00:00.000Z`)
  const until = new Date(since)
  until.setUTCMonth(since.getUTCMonth() + 1)
  return { since, until }
}

/** One side of a posting. */
type Side = { account: string; asset: string; amount: bigint }

const sidesOf = ({ postings }: queries.JournalRow): Side[] =>
  postings.flatMap(([debit, credit, asset, text]) => {
    const amount = BigInt(text)
    return [
      { account: debit, asset, amount },
      { account: credit, asset, amount: -amount },
    ]
  })

function decimal({ asset, amount }: Side): string {
  const known = bookedAsset(asset)
  if (!known) throw new Error(`The catalog does not know ${asset}.`)
  return formatAmount(amount, known)
}

const csvOf = (row: queries.JournalRow): string =>
  sidesOf(row)
    .map(
      (side) =>
        [row.at.toISOString(), row.id, row.public_id ?? '', side.account, side.asset, decimal(side), row.kind].join(
          ',',
        ) + '\n',
    )
    .join('')

/** `2026-10-01 deposit ; entry 5, transaction 7`, and a line a side. A commodity with digits or hyphens is quoted. */
const ledgerOf = (row: queries.JournalRow): string => {
  const about = `${row.at.toISOString().slice(0, 10)} ${row.kind} ; entry ${row.id}${row.public_id === null ? '' : `, transaction ${row.public_id}`}\n`
  return `${about}${sidesOf(row)
    .map((side) => `    ${side.account}  ${decimal(side)} "${side.asset}"\n`)
    .join('')}\n`
}
