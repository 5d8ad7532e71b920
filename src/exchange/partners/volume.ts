import type { Ctx } from '../context.ts'
import { raiseVersion } from '../audit/version.ts'
import { after } from '../../platform/lib/clock.ts'

/** Over how many days an account's volume is counted. */
const volumeDays = 30
const dayMs = 86_400_000
/** How many accounts are counted in one block. */
const most = 100

/**
 * Counts what the orders of each account came to in the last 30 days, once a day (UTC, business time): exchanges that were or are being paid
 * out, and whose money was not taken back. Every process learns of it as of a change of the account, so that no price asks the database. Safe to run in several processes.
 */
export async function measureVolumes({ db, clock }: Pick<Ctx, 'db' | 'clock'>): Promise<void> {
  const now = clock.now()
  const day = now.toISOString().slice(0, 10)
  const until = new Date(`${day}T00:00:00.000Z`)
  const since = after(until, -volumeDays * dayMs)
  for (let count = most; count === most;) {
    count = await db.atomic(async (block) => {
      const counted = await block.sql`
        with due as (
          select id from partners where volume_on is distinct from ${day}::text::date
          order by id limit ${most} for update skip locked)
        update partners set volume_on = ${day}::text::date, volume_cents = (
          select coalesce(sum(from_amount_in_eur), 0) from transactions
          where partner_id = partners.id and kind in ('retail', 'b2b') and created_at >= ${since} and created_at < ${until}
            and status in ('sending', 'finished')
            and not exists (select from deposits where transaction_id = transactions.id and taken_back > 0))
        from due where partners.id = due.id returning partners.id`
      if (counted.length > 0) raiseVersion(block)
      return counted.length
    })
  }
}
