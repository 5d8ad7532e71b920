import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { BookedColumn } from './house-accounts.ts'
import { dayAfter, dayOf, decimalsOf, pricesAt, storeMarks } from './mark.ts'
import * as queries from './profit.sql.ts'
import { emptyValuation, worthOf } from './valuation.ts'
import { valueAllEntries } from './value-entries.ts'

/** The profit and loss of one asset on one day (UTC), in units of 10^-8 EUR. `total` is the sum of the other columns. */
export type ProfitRow = { day: string; asset: string; revaluation: bigint; total: bigint } & Record<
  BookedColumn,
  bigint
>

/** From the first day to the last one, both included; of everything, or of one partner's transactions. */
export type ProfitPeriod = { since: string; until: string; partnerId?: bigint | undefined }

/**
 * The profit and loss by day and asset, of days on which there was any. Values what has been booked since it was last asked. The total
 * of a period is the change of all accounts of the house, valued at the marks of its ends, to the last unit. A partner's rows hold what
 * was booked for its transactions: revaluation and hedging belong to the house as a whole.
 */
export async function profitAndLoss(ctx: Ctx, { since, until, partnerId }: ProfitPeriod): Promise<ProfitRow[]> {
  if (until < since) throw new Refusal('BAD_REQUEST', 'The period ends before it begins.')
  await valueAllEntries(ctx)
  await storeMarks(ctx)
  const today = dayOf(ctx.clock.now())
  const last = until < today ? until : today
  const booked = await queries.bookedDays(ctx.db, { since, until: last, partnerId })
  const rows = partnerId === undefined ? await withRevaluation(ctx, booked, { since, last, today }) : booked.map(plain)
  return rows.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

const keyOf = ({ day, asset }: { day: string; asset: string }): string => `${day} ${asset}`

function plain({ day, asset, spread, fees, methodCosts, networkCosts, hedging, drift }: queries.BookedDay): ProfitRow {
  return totaled({ day, asset, spread, fees, methodCosts, networkCosts, hedging, drift, revaluation: 0n })
}

const totaled = (row: Omit<ProfitRow, 'total'>): ProfitRow => ({
  ...row,
  total: row.spread + row.fees + row.methodCosts + row.networkCosts + row.hedging + row.drift + row.revaluation,
})

type Days = { since: string; last: string; today: string }

/**
 * Adds what the balances of each day gained or lost in value: the worth at the day's end, less that at its beginning, less the worths
 * of what was booked in between.
 */
async function withRevaluation(ctx: Ctx, booked: queries.BookedDay[], days: Days): Promise<ProfitRow[]> {
  const { since, last, today } = days
  const opening = await queries.openingBalances(ctx.db, since)
  const priceOn = await pricesByDay(ctx, { since, today })
  const byKey = new Map(booked.map((row) => [keyOf(row), row]))
  const openings = new Map(opening.map(({ asset, amount }) => [asset, amount]))
  const rows: ProfitRow[] = []
  for (const asset of new Set([...openings.keys(), ...booked.map((row) => row.asset)])) {
    const decimals = decimalsOf(asset)
    let balance = openings.get(asset) ?? 0n
    let worth = worthOf(balance, decimals, priceOn(asset, dayAfter(since, -1)))
    for (let day = since; day <= last; day = dayAfter(day)) {
      const known = byKey.get(keyOf({ day, asset }))
      if (!known && balance === 0n && worth === 0n) continue
      const row = known ?? emptyDay(day, asset)
      balance += row.change
      const end = worthOf(balance, decimals, priceOn(asset, day))
      const revaluation = end - worth - row.worth
      worth = end
      if (revaluation !== 0n || known) rows.push({ ...plain(row), ...revalued(row, revaluation) })
    }
  }
  return rows
}

const revalued = (row: queries.BookedDay, revaluation: bigint): Pick<ProfitRow, 'revaluation' | 'total'> => ({
  revaluation,
  total: plain(row).total + revaluation,
})

const emptyDay = (day: string, asset: string): queries.BookedDay => ({ day, ...emptyValuation(asset) })

/** The price that each asset ended a day with: its stored mark or the latest before it; today, the price of this moment. */
async function pricesByDay(
  ctx: Ctx,
  { since, today }: Pick<Days, 'since' | 'today'>,
): Promise<(asset: string, day: string) => bigint> {
  const stored = new Map<string, { day: string; price: bigint }[]>()
  for (const { asset, day, price } of await queries.marksSince(ctx.db, dayAfter(since, -1))) {
    stored.set(asset, [...(stored.get(asset) ?? []), { day, price }])
  }
  const now = await pricesAt(ctx, ctx.clock.now())
  return (asset, day) =>
    day >= today ? now.markOf(asset) : (stored.get(asset)?.findLast((mark) => mark.day <= day)?.price ?? 0n)
}
