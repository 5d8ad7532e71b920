import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { valueAllEntries } from '../treasury/value-entries.ts'
import * as queries from './report.sql.ts'

export type { ReportRow } from './report.sql.ts'

/** A day, a week from its Monday, or a month, in UTC. */
export type ReportSpan = 'day' | 'week' | 'month'

const dayMs = 86_400_000

/** The span that a day lies in. BAD_REQUEST for what is no day. */
export function spanOf(span: ReportSpan, day: string): { since: Date; until: Date } {
  const at = /^\d{4}-\d\d-\d\d$/.test(day) ? new Date(`${day}T00:00:00.000Z`) : new Date(Number.NaN)
  if (Number.isNaN(at.getTime()) || at.toISOString().slice(0, 10) !== day)
    throw new Refusal('BAD_REQUEST', 'A day is written as in 2026-11-23.')
  if (span === 'day') return { since: at, until: after(at, dayMs) }
  if (span === 'week') {
    const monday = after(at, -((at.getUTCDay() + 6) % 7) * dayMs)
    return { since: monday, until: after(monday, 7 * dayMs) }
  }
  return {
    since: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), 1)),
    until: new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + 1, 1)),
  }
}

/**
 * What happened in a span, by partner, side and coin (of a swap, the coin paid out). Orders are counted when they were created,
 * when money arrived first, and when they ended. `volume` is what the orders counted as paid exchange, in EUR at the price
 * of their quote: an order that exchanges less or more than agreed changes it. `fees` and `profit` are by when they were booked; `profit` is
 * what the entries of orders earned, as the profit and loss has it before revaluation. Amounts are whole numbers of 10^-8 EUR.
 */
export async function reportOf(
  ctx: Ctx,
  { since, until }: { since: Date; until: Date },
  partnerId?: bigint,
): Promise<queries.ReportRow[]> {
  await valueAllEntries(ctx)
  return queries.report(ctx.db, { since, until, partnerId: partnerId ?? null })
}
