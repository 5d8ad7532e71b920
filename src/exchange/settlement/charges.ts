import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { listingById } from '../../reference/catalog/asset.ts'
import { held, methodCosts, networkFees } from '../ledger/account.ts'
import { settleReserves } from '../ledger/balance.ts'
import { entry } from '../ledger/entry.ts'
import { post } from '../ledger/post.ts'

type Cost = { place: string; asset: string; amount: bigint }

/** Books that a bank has not charged what it had reported. */
export async function giveChargeBack(ctx: Ctx, db: Atomic, { place, asset, amount }: Cost): Promise<void> {
  const what = { transactionId: null, kind: 'method_cost', ref: await ctx.rowIds.next(), at: ctx.clock.now() } as const
  await post(db, ctx, [entry(what, [{ debit: held(place), credit: methodCosts, asset, amount }])])
}

/**
 * Books what a rail has charged a place, inside the block that says it is booked: a chain as a cost of the network (gas for addresses
 * of ours, transfers to the wallet that pays, payouts that failed), a bank as a cost of the method (the charges of its statements).
 */
export async function bookCharges(ctx: Ctx, db: Atomic, costs: Cost[]): Promise<void> {
  const at = ctx.clock.now()
  const entries = []
  for (const { place, asset, amount } of costs) {
    const isCoin = listingById(asset)?.network.chain !== null
    const kind = isCoin ? 'wallet_cost' : 'method_cost'
    const what = { transactionId: null, kind, ref: await ctx.rowIds.next(), at } as const
    entries.push(entry(what, [{ debit: isCoin ? networkFees : methodCosts, credit: held(place), asset, amount }]))
  }
  await post(db, ctx, entries)
  settleReserves(
    db,
    costs.map(({ place, asset, amount }) => ({ place, asset, amount: 0n, fee: amount })),
  )
}
