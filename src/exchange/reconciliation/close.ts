import type { Ctx } from '../context.ts'
import { recordAudit } from '../audit/audit.ts'
import { after } from '../../platform/lib/clock.ts'
import { badField, fieldRefusal } from '../../platform/lib/refusal.ts'
import { type ProfitRow, profitAndLoss } from '../treasury/profit.ts'
import * as queries from './close.sql.ts'
import { reconcile } from './reconcile.ts'

/** A day that is closed: its figures as they were then. `opening`: what the day closed before had. */
export type ClosedDay = {
  day: string
  closedAt: Date
  closedBy: string
  breaksOpen: number
  /** Debits positive, smallest units. `customers` is what all customers together are owed. */
  /** Units of 10^-8 EUR, by asset. */
  profit: readonly Omit<ProfitRow, 'day'>[]
  accounts: { account: string; asset: string; opening: bigint; closing: bigint }[]
}

const dayMs = 86_400_000

/**
 * Closes a day (UTC, business time): compares all accounts once more, then freezes the balance of every account at its end.
 * Days are closed in order. What is booked with an earlier time after a day was closed belongs to the day closed next, so the
 * changes of all closed days add up to the ledger. Gives the figures as they were frozen if the day is closed already.
 * CONFLICT for a day that is not over, and while the day before is open.
 */
export async function closeDay(ctx: Ctx, text: string, actor: string): Promise<ClosedDay> {
  const start = readDay(text)
  const end = after(start, dayMs)
  const [closed] = await queries.closedDay(ctx.db, text)
  if (closed) return shown(ctx, closed)
  if (ctx.clock.now() < end) throw fieldRefusal('CONFLICT', 'day', `${text} is not over.`)

  const { breaks } = await reconcile(ctx, { since: start, until: end })
  const profit = await profitAndLoss(ctx, { since: text, until: text })
  await ctx.db.atomic(async (db) => {
    queries.lockDays(db)
    const [last] = await queries.lastDay(db)
    const next = last && dayOf(after(readDay(last.day), dayMs))
    if (next !== undefined && next !== text) throw fieldRefusal('CONFLICT', 'day', `The next day to close is ${next}.`)
    const closedAt = ctx.clock.now()
    queries.freeze(db, {
      day: text,
      end,
      closedAt,
      closedBy: actor,
      breaksOpen: breaks.length,
      profit: profit.map(asText),
    })
    recordAudit(db, {
      at: closedAt,
      actor,
      action: 'day.closed',
      subject: `day:${text}`,
      before: null,
      after: { breaks_open: breaks.length },
    })
  })
  const [frozen] = await queries.closedDay(ctx.db, text)
  if (!frozen) throw new Error('A day that was closed is missing.')
  return shown(ctx, frozen)
}

function readDay(text: string): Date {
  const at = /^\d{4}-\d\d-\d\d$/.test(text) ? new Date(`${text}T00:00:00.000Z`) : undefined
  if (!at || Number.isNaN(at.getTime()) || dayOf(at) !== text)
    throw badField('day', 'A day is written as in 2026-11-23.')
  return at
}

const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

const columns = ['spread', 'fees', 'methodCosts', 'networkCosts', 'hedging', 'drift', 'revaluation', 'total'] as const

const asText = (row: ProfitRow): Record<string, string> => ({
  asset: row.asset,
  ...Object.fromEntries(columns.map((column) => [column, String(row[column])])),
})

const fromText = (row: Readonly<Record<string, string>>): Omit<ProfitRow, 'day'> => {
  const units = (column: (typeof columns)[number]): bigint => BigInt(row[column] ?? '0')
  return {
    asset: row.asset ?? '',
    spread: units('spread'),
    fees: units('fees'),
    methodCosts: units('methodCosts'),
    networkCosts: units('networkCosts'),
    hedging: units('hedging'),
    drift: units('drift'),
    revaluation: units('revaluation'),
    total: units('total'),
  }
}

async function shown({ db }: Pick<Ctx, 'db'>, row: queries.ClosedRow): Promise<ClosedDay> {
  return {
    day: row.day,
    closedAt: row.closed_at,
    closedBy: row.closed_by,
    breaksOpen: row.breaks_open,
    profit: row.profit.map(fromText),
    accounts: await queries.figures(db, row.day),
  }
}
