import type { Ctx } from '../context.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import type { PlanBody, PlanOutcome } from '../../rails/rail.ts'
import { planPlace } from './plan.ts'
import * as queries from './payouts.sql.ts'

export { endPlans, failPlans, isTaken as isPayoutTaken, lockOpenPlans, markPlans } from './payouts.sql.ts'

/** A plan and what the rail says of it. `unclear`: the rail did not answer, so whether it acted is not known. */
export type Sent = { plan: queries.SentRow; outcome: PlanOutcome | { state: 'unclear' } }

/**
 * Brings plans to their rails and asks what became of them. May be repeated at any time by anyone: a rail carries a plan out
 * once, whoever submits it and however often. A plan that was submitted before is looked at first.
 */
export async function sendPlans(ctx: Ctx, ids: bigint[]): Promise<Sent[]> {
  const plans = await queries.readPlans(ctx.db, ids)
  return Promise.all(plans.map(async (plan) => ({ plan, outcome: await sendPlan(ctx, plan) })))
}

async function sendPlan(ctx: Ctx, plan: queries.SentRow): Promise<Sent['outcome']> {
  const payout = ctx.rails.payout(plan.rail)?.payout
  if (!payout) throw new Error(`There is no rail ${plan.rail} in this process.`)
  const key = ctx.keyring.unwrap(plan.data_key_id, plan.wrapped_key)
  const sent = { key: plan.plan_key, body: key.open<PlanBody>(plan.body, planPlace(plan.id)) }
  try {
    if (plan.state !== 'planned') {
      const before = await payout.look(sent)
      if (before.state !== 'never') return before
    }
    await payout.submit(sent)
    return await payout.look(sent)
  } catch (error) {
    if (error instanceof Refusal) throw error
    ctx.log.warn(
      { err: error, rail: plan.rail, plan: String(plan.id) },
      'A rail gave no clear answer; it will be asked again.',
    )
    return { state: 'unclear' }
  }
}
