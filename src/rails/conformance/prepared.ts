import assert from 'node:assert/strict'

import type { Destination, PlanDraft } from '../rail.ts'
import type { PayoutSetup } from './harness.ts'

type PreparedPayment = PlanDraft & { destination: Destination }

export async function prepared({ payout, payouts, nextId }: PayoutSetup, amount: bigint): Promise<PreparedPayment> {
  const destination = await payouts.destination()
  const [plan, ...others] = await payout.prepare([{ payoutId: nextId(), asset: payouts.asset, amount, destination }])
  assert(plan && others.length === 0)
  return { ...plan, destination }
}

/** A number of the units that the suite pays in. */
export const units = ({ payouts }: Pick<PayoutSetup, 'payouts'>, count: bigint): bigint => count * (payouts.unit ?? 1n)

export const heldIn = ({ rail, payouts }: PayoutSetup): Promise<bigint> => rail.balance(payouts.asset)

/** What a payment that is done has cost of the asset itself. */
export async function feeOf({ payout, payouts }: PayoutSetup, plan: PlanDraft): Promise<bigint> {
  const outcome = await payout.look(plan)
  assert(outcome.state === 'done')
  const { fee } = outcome.evidence
  return fee?.asset === payouts.asset ? fee.amount : 0n
}
