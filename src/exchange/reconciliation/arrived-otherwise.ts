import type { Ctx } from '../context.ts'
import { custodyAccounts } from './account.ts'
import type { FoundBreak } from './breaks.sql.ts'

/** Payouts whose recipients got another amount than was sent, since a token kept a part: as breaks with their hashes, until resolved. */
export async function arrivedOtherwise(ctx: Pick<Ctx, 'db' | 'rails'>): Promise<FoundBreak[]> {
  const places = custodyAccounts(ctx).map(({ place }) => place)
  return ctx.db.sql<FoundBreak>`
    select place as account, asset, 'amount' as kind, payouts.rail || ' out ' || (evidence ->> 'hash') as key,
      (evidence ->> 'arrived')::numeric - amount as amount, 'other_amount' as cause, 'operations' as owner
    from plans join payouts on plan_id = plans.id
    where evidence ->> 'arrived' is not null and place = any(${places}::text[])`
}
