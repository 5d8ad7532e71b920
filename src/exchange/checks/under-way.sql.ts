import { type Db, one } from '../../platform/db/sql.ts'

/** How much is under way now, whether or not it is late. */
export type UnderWay = { jobs: number; jobs_failed: number; undelivered: number; suspense: number; halted: number }

/** Counts what is under way, all but the transactions. */
export const underWay = async (db: Db): Promise<UnderWay> =>
  one(
    await db.sql<UnderWay>`
      select (select count(*)::integer from jobs) as jobs,
        (select count(*)::integer from jobs where attempts > 0) as jobs_failed,
        (select count(*)::integer from webhook_queue) as undelivered,
        (select count(*)::integer from deposits where transaction_id is null
          and exchanged + refunded + taken_back < amount) as suspense,
        (select count(distinct name)::integer from halts where scope in ('rail', 'crediting')) as halted`,
  )

/** Counts transactions by status, without empty statuses. */
export const countByStatus = (db: Db, statuses: string[]): Promise<{ status: string; count: number }[]> =>
  db.sql`
    select transactions.status, count(*)::integer as count from unnest(${statuses}::text[]) as wanted (status)
    cross join partners
    cross join unnest(array['retail', 'b2b']) as kinds (kind)
    join transactions on transactions.partner_id = partners.id and transactions.kind = kinds.kind
      and transactions.status = wanted.status
    group by transactions.status`
