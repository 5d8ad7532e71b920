import type { Db } from '../../platform/db/sql.ts'

/** How many payments went through on each rail since a business time, and how many attempts were declined. */
export async function attemptsSince(db: Db, since: Date): Promise<Map<string, { paid: number; declined: number }>> {
  const rows = await db.sql<{ rail: string; paid: number; declined: number }>`
    select rail, count(*) filter (where kind = 'deposit_final')::integer as paid,
      count(*) filter (where kind = 'deposit_declined')::integer as declined
    from rail_events where received_at >= ${since} and kind in ('deposit_final', 'deposit_declined') group by rail`
  return new Map(rows.map(({ rail, ...counts }) => [rail, counts]))
}
