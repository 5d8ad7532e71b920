import { haltedRails, resumeCrediting } from '../../src/exchange/settlement/halts.ts'
import { Refusal } from '../../src/platform/lib/refusal.ts'
import { completeCheckout } from '../../src/sandbox/api/complete-checkout.ts'
import { approvePayout, listOpenPayouts } from '../../src/exchange/settlement/approval.ts'
import { askForRefund } from '../../src/exchange/orders/choose.ts'
import { cancelTransaction, refundTransaction, releaseTransaction } from '../../src/exchange/operations/staff.ts'
import { listSuspense, returnSuspense } from '../../src/exchange/operations/suspense.ts'
import { sayWhereTo } from './deciding.ts'
import type { Deal, Stage } from './stage.ts'
import type { Worker } from './worker.ts'

const order = { reason: 'the simulation ends', actor: 'simulation' }

/** What people do in the end about transactions that wait for them: whatever is not refused, one thing each. */
export async function settleHolds(stage: Stage, worker: Worker): Promise<void> {
  const { deals, dice, ask } = stage
  const { ctx } = worker.composition
  for (const deal of deals.filter(({ status }) => status === 'on_hold')) {
    const { publicId, partnerId, details } = deal
    const giveAddress = async () => {
      if (!(await sayWhereTo(worker, deal))) await completeCheckout(ctx, partnerId, publicId, {})
    }
    const payElsewhere = async () => {
      const [other] = await ask<{ id: string }>(
        `select payout_addresses.id::text from payout_addresses join transactions using (partner_id)
         where public_id = $1 and payout_addresses.status = 'active' and asset = to_asset order by 1 limit 1`,
        [publicId],
      )
      if (!other) throw new Refusal('CONFLICT', 'There is no other address.')
      await releaseTransaction(ctx, publicId, { ...order, payTo: BigInt(other.id) })
    }
    const approve = async () => {
      if (!(await approveAll(stage, worker, publicId))) throw new Refusal('CONFLICT', 'It is not approved.')
    }
    const refund = () => refundTransaction(ctx, publicId, order)
    const release = () => releaseTransaction(ctx, publicId, order)
    const ways =
      details === 'address_needed'
        ? [giveAddress, payElsewhere, refund, release]
        : [
            ...dice.pick([
              [refund, release, () => askForRefund(ctx, publicId)],
              [release, refund],
            ]),
            giveAddress,
          ]
    await tryEach([approve, ...ways, () => cancelTransaction(ctx, publicId, order)])
  }
  for (const { id } of await listSuspense(ctx)) await tryEach([() => returnSuspense(ctx, id, order)])
  await approveAll(stage, worker, null)
}

/** Every operator approves what waits for it of one transaction, or of nobody's. Tells whether any of it goes on. */
async function approveAll(
  { operators }: Stage,
  { composition: { ctx } }: Worker,
  publicId: bigint | null,
): Promise<boolean> {
  const waiting = (await listOpenPayouts(ctx, { waiting: true })).filter(({ public_id: of }) => of === publicId)
  const approved = []
  for (const { id } of waiting) {
    for (const operator of operators) approved.push(await approvePayout(ctx, id, operator).catch(refusedOnly))
  }
  return approved.some((one) => one?.isApproved)
}

const refusedOnly = (error: unknown): undefined => {
  if (!(error instanceof Refusal)) throw error
}

/** Lets rails that have stopped credit again. */
export async function resumeAll({ composition: { ctx } }: Worker): Promise<void> {
  for (const { name: rail } of await haltedRails(ctx.db)) await resumeCrediting(ctx, rail, order)
}

/** Does the first thing that is not refused. */
async function tryEach(ways: (() => Promise<unknown>)[]): Promise<void> {
  for (const way of ways) {
    try {
      await way()
      return
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
    }
  }
}

/** How a transaction is named in a failure. */
export const sentenceOf = ({ number, publicId, status, details }: Deal): string =>
  `#${number} (${publicId}) ${status} ${details ?? ''}`
