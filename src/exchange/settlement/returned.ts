import type { Db } from '../../platform/db/sql.ts'
import * as queries from './payouts.sql.ts'

export { cancel as cancelPayouts, markReturned, ofTransaction as payoutsOf } from './payouts.sql.ts'

/** A payout of a transaction, as far as it decides what happens next. */
export type StandingPayout = queries.StandingRow

/** A payout that a rail speaks of again. */
export type KeyedPayout = queries.KeyedRow

/** Finds the payouts that rails speak of, by the key that each plan has on its rail; by `{rail} {key}`. */
export async function payoutsByPlanKey(
  db: Db,
  told: { rail: string; reference: string }[],
): Promise<Map<string, KeyedPayout>> {
  if (told.length === 0) return new Map()
  const rows = await queries.byPlanKeys(
    db,
    told.map(({ rail }) => rail),
    told.map(({ reference }) => reference),
  )
  return new Map(rows.map((row) => [`${row.rail} ${row.plan_key}`, row]))
}
