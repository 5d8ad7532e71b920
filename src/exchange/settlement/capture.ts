import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { Handler, Job } from '../../platform/jobs/job.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Status } from '../transactions/lifecycle.ts'
import type { MatchedEvent } from './rail-event.ts'

/** The job that captures a payment that was authorized, or cancels it. Its key is our id of the rail event that reported it. */
export const captureDue = 'capture.due'

/** How long a payment waits while its rail is halted, in real milliseconds. */
const waitMs = 5_000

/** Lets an authorized payment be captured, on rails that leave the moment to us. */
export function captureLater({ rails, queue, clock }: Ctx, db: Atomic, { id, rail }: MatchedEvent): void {
  if (!rails.deposit(rail)?.deposit.capture) return
  queue.enqueue(db, [{ kind: captureDue, key: String(id), runAt: clock.realNow(), timebase: 'real' }])
}

type Authorized = {
  rail: string
  payment: string
  asset: string
  amount: bigint
  wanted: string
  status: Status | null
}

const readAuthorized = (db: Db, id: bigint): Promise<Authorized[]> =>
  db.sql`
    select event.rail, event.payment, event.asset, event.amount, coalesce(instruction.asset, '') as wanted, status
    from rail_events as event
    left join deposit_instructions as instruction using (rail, reference)
    left join transactions on transactions.id = transaction_id
    where event.id = ${id}`

/**
 * Captures what was authorized for an order that still waits for it, in its currency; cancels it otherwise, so that nobody has to be
 * refunded. What was captured is reported by the rail like any payment. Nothing is captured on a halted rail.
 */
export const captureAuthorized = (ctx: Ctx): Handler => ({
  batch: 1,
  concurrency: 4,
  run: async (jobs) => {
    for (const job of jobs) await capture(ctx, job)
  },
})

async function capture(ctx: Ctx, job: Job): Promise<void> {
  const [authorized] = await readAuthorized(ctx.db, BigInt(job.key))
  const deposit = authorized && ctx.rails.deposit(authorized.rail)?.deposit
  const halts = ctx.halts.now()
  if (authorized && (halts.all || halts.rails.has(authorized.rail))) {
    const at = after(ctx.clock.realNow(), waitMs)
    return ctx.queue.revisit([job], async (_db, held) => new Map(held.map(({ id }) => [id, { at, timebase: 'real' }])))
  }
  // Both may be repeated: a process that stops before the job ends does it again.
  if (authorized && isWanted(authorized)) await deposit?.capture?.(authorized.payment)
  else if (authorized) await deposit?.cancel?.(authorized.payment)
  await ctx.queue.finish([job], async () => undefined)
}

const isWanted = ({ status, asset, wanted }: Authorized): boolean =>
  (status === 'waiting_for_deposit' || status === 'on_hold') && asset === wanted
