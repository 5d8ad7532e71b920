import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { PolicyVersions } from '../policies/policies.ts'
import { type Explanation, explainQuote } from '../pricing/explain.ts'
import type { Quote } from '../pricing/quote.ts'
import * as queries from '../transactions/transactions.sql.ts'

/** One of a transaction's quotes, explained; its number counts re-quotes. */
export type ExplainedQuote = Explanation & { number: number; policies: PolicyVersions }

/** Recomputes every quote that a transaction has had, from what was stored and nothing else. Refuses an unknown id. */
export async function explainPrices({ db }: Pick<Ctx, 'db'>, publicId: bigint): Promise<ExplainedQuote[]> {
  const rows = await queries.quotesOf(db, publicId)
  if (rows.length === 0) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
  return rows.map(({ number, quote }) => ({
    number,
    policies: (quote as Quote).policies ?? {},
    ...explainQuote(quote as Quote),
  }))
}
