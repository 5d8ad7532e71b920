import type { Db } from '../../platform/db/sql.ts'
import { approvalsOfAll } from '../approvals/approve.ts'
import type { Content } from '../approvals/content.ts'
import type { Ctx } from '../context.ts'
import type { Hedge } from './hedge.ts'

type Ordered = Pick<
  Hedge,
  'id' | 'venue' | 'client_order_id' | 'pair' | 'side' | 'base' | 'quote' | 'amount' | 'limit_price'
>

/** What is approved of a hedge: the order as the venue gets it. */
export const hedgeContent = (hedge: Ordered): Content => ({
  kind: 'hedge',
  id: String(hedge.id),
  venue: hedge.venue,
  order: hedge.client_order_id,
  pair: hedge.pair,
  side: hedge.side,
  base: hedge.base,
  quote: hedge.quote,
  amount: String(hedge.amount),
  limit_price: hedge.limit_price,
})

/** Who approves a hedge within the caps, where hedging is automatic. */
export const automatically = 'system'

/** How many different people approve a hedge. */
export const approvalsNeeded = ({ config }: Pick<Ctx, 'config'>): number => (config.environment.twoOperators ? 2 : 1)

/** The hedges of these that may be sent: operators approved them, or the service did so within the caps. */
export async function approvedHedges(
  deps: Pick<Ctx, 'secrets' | 'config'>,
  db: Db,
  hedges: readonly Hedge[],
): Promise<Hedge[]> {
  const given = await approvalsOfAll(deps, db, hedges.map(hedgeContent))
  return hedges.filter(({ id }) => {
    const rows = given.get(String(id)) ?? []
    const isSettled = rows.some(({ approver, carriedOver }) => carriedOver || approver === automatically)
    return isSettled || new Set(rows.map(({ approver }) => approver)).size >= approvalsNeeded(deps)
  })
}
