import type { Ctx } from '../context.ts'
import { after } from '../../platform/lib/clock.ts'

/** How many orders there were in 24 hours, and what was paid in, in euro with cents. */
export type Summary = { created: number; paid: number; finished: number; volume: string }

const dayMs = 86_400_000

/** The last 24 hours (business time), and the same 24 hours a week before. */
export async function summaryOfDay({
  db,
  clock,
}: Pick<Ctx, 'db' | 'clock'>): Promise<{ today: Summary; lastWeek: Summary }> {
  const now = clock.now()
  const read = async (until: Date): Promise<Summary> => {
    const [row] = await db.sql<{ created: bigint; paid: bigint; finished: bigint; cents: bigint }>`
      select count(*) as created, count(*) filter (where from_amount > 0) as paid,
        count(*) filter (where status = 'finished') as finished,
        coalesce(sum(from_amount_in_eur) filter (where from_amount > 0), 0)::numeric(38, 0) as cents
      from partners join transactions on partner_id = partners.id
      where kind in ('retail', 'b2b') and transactions.created_at >= ${after(until, -dayMs)}
        and transactions.created_at < ${until}`
    const cents = String(row?.cents ?? 0n).padStart(3, '0')
    const count = (value: bigint | undefined): number => Number.parseInt(String(value ?? 0n), 10)
    return {
      created: count(row?.created),
      paid: count(row?.paid),
      finished: count(row?.finished),
      volume: `${cents.slice(0, -2)}.${cents.slice(-2)}`,
    }
  }
  const [today, lastWeek] = await Promise.all([read(now), read(after(now, -7 * dayMs))])
  return { today, lastWeek }
}
