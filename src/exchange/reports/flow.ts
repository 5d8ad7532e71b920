import type { Ctx } from '../context.ts'
import { valueAllEntries } from '../treasury/value-entries.ts'
import * as queries from './flow.sql.ts'

export type { Conversion } from './flow.sql.ts'

/** Where customers stop, how rails did, what payments cost, and what went back. */
export type FlowReport = {
  conversion: queries.Conversion
  rails: queries.RailFlow[]
  costs: queries.MethodCost[]
  givenBack: queries.GivenBack[]
}

/** The flow of orders and money in a span. Orders count where they were created in it, and by how far they have come since. */
export async function flowOf(ctx: Ctx, span: { since: Date; until: Date }): Promise<FlowReport> {
  await valueAllEntries(ctx)
  const [conversion, rails, costs, givenBack] = await Promise.all([
    queries.conversion(ctx.db, span),
    queries.byRail(ctx.db, span),
    queries.costs(ctx.db, span),
    queries.givenBack(ctx.db, span),
  ])
  return { conversion, rails, costs, givenBack }
}
