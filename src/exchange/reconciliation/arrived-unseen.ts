import type { Ctx } from '../context.ts'
import { suspenseDeposits } from '../settlement/deposit.ts'
import { custodyAccounts } from './account.ts'
import type { FoundBreak } from './breaks.sql.ts'

/** The most money in suspense that is looked at. */
const most = 1_000

/**
 * Coins that came otherwise than by a payment to us, and belong to no order: as breaks with their hashes, for as long as they lie in
 * suspense.
 */
export async function arrivedUnseen(ctx: Pick<Ctx, 'db' | 'rails'>): Promise<FoundBreak[]> {
  const places = new Map(custodyAccounts(ctx).flatMap(({ place, rails }) => rails.map(({ name }) => [name, place])))
  return (await suspenseDeposits(ctx.db, most, { isUnseen: true })).flatMap(({ rail, payment, asset, amount }) => {
    const account = places.get(rail)
    if (account === undefined) return []
    const key = `${rail} in ${payment ?? ''}`
    return { account, asset, kind: 'not_booked', key, amount, cause: 'arrived_unseen', owner: 'operations' }
  })
}
