import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import type { Again } from '../../platform/jobs/queue.ts'
import { after } from '../../platform/lib/clock.ts'
import { Refusal, refuseNow } from '../../platform/lib/refusal.ts'
import type { PayoutAddress, PayoutAddressStatus } from './payout-address.ts'
import { announce, fromRow, payoutAddressDue } from './payout-addresses.ts'
import * as queries from './payout-addresses.sql.ts'

/** Who decides about an address, and why, as the audit keeps it. */
export type Decision = { id: bigint; actor: string; reason?: string }

/**
 * Approves an address, which becomes active after its cooling-off time. For a rejected or disabled one that time starts again.
 * Refuses an unknown address, and one that is already approved.
 */
export const approvePayoutAddress = (ctx: Ctx, decision: Decision): Promise<PayoutAddress> =>
  decide(ctx, decision, 'approved', (address, now) => {
    refuseNow(whyNotApproved(address))
    const isFresh = address.status === 'pending_review'
    const activeFrom = isFresh ? address.activeFrom : after(now, address.coolingOffSeconds * 1_000)
    return { activeFrom, approvedAt: now, status: activeFrom > now ? 'pending_review' : 'active' }
  })

/** An operator rejects an address that waits. Refuses an unknown one, and one that waits no more. */
export const rejectPayoutAddress = (ctx: Ctx, decision: Decision): Promise<PayoutAddress> =>
  decide(ctx, decision, 'rejected', (address) => {
    refuseNow(whyNotRejected(address))
    return { status: 'rejected', approvedAt: null }
  })

/**
 * An operator disables an address: nothing is paid to it any more, not even for transactions that were created before.
 * Refuses an unknown one, and one that is not paid to anyway.
 */
export const disablePayoutAddress = (ctx: Ctx, decision: Decision): Promise<PayoutAddress> =>
  decide(ctx, decision, 'disabled', (address) => {
    refuseNow(whyNotDisabled(address))
    return { status: 'disabled', approvedAt: null }
  })

type AddressState = Pick<PayoutAddress, 'status' | 'approvedAt'>

/** Why an address cannot be approved; undefined: it can. */
export const whyNotApproved = ({ status, approvedAt }: AddressState): string | undefined =>
  status === 'active' || (status === 'pending_review' && approvedAt !== null)
    ? 'This address is approved already.'
    : undefined

/** Why an address cannot be rejected; undefined: it can. */
export const whyNotRejected = ({ status }: AddressState): string | undefined =>
  status === 'pending_review' ? undefined : `This address is ${status}: disable it instead.`

/** Why an address cannot be disabled; undefined: it can. */
export const whyNotDisabled = ({ status }: AddressState): string | undefined =>
  status === 'active' || status === 'pending_review' ? undefined : `This address is ${status} already.`

/** Activates addresses whose cooling-off time has passed, unless they still need approval. */
export const activatePayoutAddresses = (ctx: Ctx): Handler => ({
  batch: 64,
  concurrency: 1,
  run: (jobs) =>
    ctx.queue.revisit(jobs, async (db, held) => {
      const byId = new Map(held.map((job) => [BigInt(job.key), job]))
      const now = ctx.clock.now()
      const again = new Map<bigint, Again>()
      for (const row of await queries.lock(db, [...byId.keys()])) {
        const job = byId.get(row.id)
        if (!job || row.status !== 'pending_review') continue
        if (row.active_from > now) again.set(job.id, { at: row.active_from, timebase: 'business' })
        else if (!row.needs_approval || row.approved_at !== null)
          change(ctx, db, fromRow(ctx, row), { status: 'active' }, { actor: 'system', action: 'activated' })
      }
      return again
    }),
})

type Changed = Partial<Pick<PayoutAddress, 'status' | 'approvedAt' | 'activeFrom'>>

function decide(
  ctx: Ctx,
  { id, actor, reason }: Decision,
  action: string,
  next: (address: PayoutAddress, now: Date) => Changed,
): Promise<PayoutAddress> {
  return ctx.db.atomic(async (db) => {
    const [row] = await queries.lock(db, [id])
    if (!row) throw new Refusal('NOT_FOUND', 'There is no such payout address.')
    const address = fromRow(ctx, row)
    const changed = change(ctx, db, address, next(address, ctx.clock.now()), {
      actor,
      action,
      ...(reason === undefined ? {} : { reason }),
    })
    if (changed.status === 'pending_review') {
      ctx.queue.enqueue(db, [{ kind: payoutAddressDue, key: String(id), runAt: changed.activeFrom }])
    }
    return changed
  })
}

/** Writes a change, audited, and announced where the status is another one. */
function change(
  ctx: Ctx,
  db: Atomic,
  before: PayoutAddress,
  to: Changed,
  { actor, action, reason }: { actor: string; action: string; reason?: string },
): PayoutAddress {
  const at = ctx.clock.now()
  const isReported = to.status !== undefined && to.status !== before.status
  const changed = { ...before, ...to, events: before.events + (isReported ? 1 : 0), updatedAt: at }
  queries.save(db, changed)
  recordAudit(db, {
    at,
    actor,
    action: `payout_address.${action}`,
    subject: `payout_address:${before.id}`,
    before: audited(before),
    after: { ...audited(changed), ...(reason === undefined ? {} : { reason }) },
  })
  if (isReported) announce(ctx, db, changed)
  return changed
}

const audited = ({ status, approvedAt }: PayoutAddress): { status: PayoutAddressStatus; approved: boolean } => ({
  status,
  approved: approvedAt !== null,
})
