import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { held, networkFees } from '../ledger/account.ts'
import { settleReserves } from '../ledger/balance.ts'
import { entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'

/**
 * Books what keeping wallets has cost a place, inside the block that says it is booked: gas for addresses of ours, transfers to
 * the wallet that pays, payouts that failed on the chain.
 */
export async function bookWalletCosts(
  ctx: Ctx,
  db: Atomic,
  costs: { place: string; asset: string; amount: bigint }[],
): Promise<void> {
  const at = ctx.clock.now()
  const entries = []
  for (const { place, asset, amount } of costs) {
    const what = { transactionId: null, kind: 'wallet_cost', ref: await ctx.rowIds.next(), at } as const
    entries.push(entry(what, [{ debit: networkFees, credit: held(place), asset, amount }]))
  }
  await post(db, ctx, entries)
  settleReserves(
    db,
    costs.map(({ place, asset, amount }) => ({ place, asset, amount: 0n, fee: amount })),
  )
}
