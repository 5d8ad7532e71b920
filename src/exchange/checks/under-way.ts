import type { Ctx } from '../context.ts'
import { ended, lifecycle, type Status } from '../transactions/lifecycle.ts'
import * as queries from './under-way.sql.ts'

/** Counts of what is in progress, late or not: open transactions by status, jobs, webhooks, suspense, halted rails. */
export async function countUnderWay({
  db,
}: Pick<Ctx, 'db'>): Promise<queries.UnderWay & { transactions: Map<Status, number> }> {
  const underWay = await queries.underWay(db)
  const counted = new Map((await queries.countByStatus(db, openStatuses)).map(({ status, count }) => [status, count]))
  return { ...underWay, transactions: new Map(openStatuses.map((status) => [status, counted.get(status) ?? 0])) }
}

const openStatuses = (Object.keys(lifecycle) as Status[]).filter((status) => !ended.has(status))
