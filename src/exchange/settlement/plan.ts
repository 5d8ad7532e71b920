import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { reserve } from '../ledger/balance.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Destination, PayoutRail } from '../../rails/rail.ts'
import { destinationPlace } from './order.ts'
import * as queries from './payouts.sql.ts'

export { lock as lockPayouts, transactionsOf } from './payouts.sql.ts'
export type { PayoutState } from './payouts.sql.ts'

/** The job that submits a plan and looks what became of it. Its key is the plan's id. */
export const planDue = 'plan.due'

/** A payout that this block has locked, with the key that its personal data is sealed with. */
export type LockedPayout = queries.OrderedRow & { dataKey: DataKey }

/** The same of a payout or a refund, whoever's it is. */
export type Plannable = Omit<LockedPayout, 'transaction_id'>

/** Tries to cover payouts that wait. Gives those that are covered now; the others go on waiting. */
export async function coverWaiting<Payout extends Plannable>(db: Atomic, payouts: Payout[]): Promise<Payout[]> {
  const waiting = payouts.filter(({ state }) => state === 'waiting')
  if (waiting.length === 0) return payouts
  const granted = await reserve(db, waiting)
  const covered = new Set(waiting.filter((_, index) => granted[index]).map(({ id }) => id))
  queries.markReserved(db, [...covered])
  return payouts.filter(({ id, state }) => state === 'reserved' || covered.has(id))
}

/**
 * Turns covered payouts into plans, which are committed before anything is tried. From then on there is no other way to
 * pay them: the plan is submitted until the rail says yes or never.
 */
export async function planPayouts(ctx: Ctx, db: Atomic, payouts: Plannable[]): Promise<void> {
  const at = ctx.clock.now()
  const rows: queries.PlanRow[] = []
  for (const [rail, own] of byRail(ctx, payouts)) {
    const drafts = await rail.payout.prepare(own.map(orderOf))
    for (const draft of drafts) {
      const payout = own.find(({ id }) => id === draft.payoutId)
      if (!payout) throw new Error(`The rail ${rail.name} planned a payout that nobody ordered.`)
      const id = await ctx.rowIds.next()
      const body = payout.dataKey.seal(draft.body, planPlace(id))
      rows.push({ id, payoutId: payout.id, rail: rail.name, key: draft.key, dataKeyId: payout.dataKey.id, body, at })
    }
  }
  if (rows.length !== payouts.length) throw new Error('A payout was left without a plan.')
  queries.insertPlans(db, rows)
  ctx.queue.enqueue(
    db,
    rows.map(({ id }) => ({ kind: planDue, key: String(id), runAt: ctx.clock.realNow(), timebase: 'real' })),
  )
}

/** Where a sealed plan belongs. */
export const planPlace = (planId: bigint): string => `plans:${planId}`

const orderOf = ({ id, asset, amount, dataKey, destination }: Plannable) => ({
  payoutId: id,
  asset,
  amount,
  destination: dataKey.open<Destination>(destination, destinationPlace(id)),
})

function byRail({ rails }: Ctx, payouts: Plannable[]): Map<PayoutRail, Plannable[]> {
  const grouped = new Map<PayoutRail, Plannable[]>()
  for (const payout of payouts) {
    const rail = rails.payout(payout.rail)
    if (!rail) throw new Error(`There is no rail ${payout.rail} in this process.`)
    grouped.set(rail, [...(grouped.get(rail) ?? []), payout])
  }
  return grouped
}
