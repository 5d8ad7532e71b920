import { assetById } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import { beforeAll, problemsIn } from '../ledger/verify.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { fingerprintOf, type StoredQuote } from '../pricing/quote.ts'
import { exchangeEntry } from '../settlement/entries.ts'
import { isOurQuote } from '../transactions/quote-stamp.ts'
import * as queries from './verify.sql.ts'

const batch = 1_000

/**
 * Checks that every quote is ours and unchanged, every transaction uses its own quote's price, and every exchange is booked at its quote
 * to the last digit. Returns one sentence a problem.
 */
export const verifyQuotes = (ctx: Pick<Ctx, 'db' | 'secrets'>): Promise<string[]> =>
  problemsIn<queries.QuoteRow>(
    (last) => {
      const after = { transactionId: last?.transaction_id ?? beforeAll, number: last?.number ?? 0 }
      return queries.quotes(ctx.db, after, batch)
    },
    (rows) => rows.flatMap((row) => problemsOf(ctx, row).map((fault) => `${nameOf(row)} ${fault}`)),
  )

const nameOf = ({ number, public_id: publicId }: queries.QuoteRow): string =>
  `Quote ${number} of transaction ${publicId}`

function problemsOf(ctx: Pick<Ctx, 'secrets'>, row: queries.QuoteRow): string[] {
  try {
    return faultsOf(ctx, row, row.quote as StoredQuote)
  } catch (error) {
    // Someone can have written anything there. It is one more finding, and the others are looked for all the same.
    return [`cannot be read: ${String(error)}`]
  }
}

function faultsOf(ctx: Pick<Ctx, 'secrets'>, row: queries.QuoteRow, quote: StoredQuote): string[] {
  if (fingerprintOf(quote) !== quote.fingerprint) return ['is not what was quoted.']
  const from = assetById(row.from_asset)
  const to = assetById(row.to_asset)
  if (from?.id !== quote.from.id || to?.id !== quote.to.id) return ['is for other currencies.']

  const amounts = [parseAmount(quote.fromAmount, from), parseAmount(quote.toAmount, to)]
  const isAtIt = row.expected_from === amounts[0] && row.expected_to === amounts[1]
  const until = Date.parse(quote.validUntil)
  const isUntil = row.valid_until.getTime() === until && (!row.is_current || row.quote_expires_at.getTime() === until)
  const kept = { transactionId: row.transaction_id, number: row.number, quote, stamp: row.stamp }
  const faults: [boolean, string][] = [
    [!row.carried_over && !isOurQuote(ctx, kept), 'was not written by the exchange.'],
    [row.is_current && !isAtIt, 'is not what its transaction says.'],
    [!isUntil, 'does not end when it is said to.'],
    [row.lines !== null && !isBooked(row, quote, { from, to }), 'is not what was exchanged.'],
  ]
  return faults.filter(([isWrong]) => isWrong).map(([, fault]) => fault)
}

type Assets = Pick<StoredQuote, 'from' | 'to'>

function isBooked(row: queries.QuoteRow, quote: StoredQuote, { from, to }: Assets): boolean {
  const { postings } = exchangeEntry(
    {
      id: row.transaction_id,
      publicId: row.public_id,
      partnerId: row.partner_id,
      quoteNumber: row.number,
      from: { asset: from },
      to: { asset: to },
      quote,
    },
    row.valid_until,
  )
  const due = postings.map(({ debit, credit, asset, amount }) => [debit, credit, asset, String(amount)])
  return JSON.stringify(due) === JSON.stringify(row.lines)
}
