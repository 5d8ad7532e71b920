import { recordAudit } from '../audit/audit.ts'
import type { Ctx } from '../context.ts'
import { receiveRailEvents } from '../settlement/rail-event.ts'
import type { Rail } from '../../rails/rail.ts'

/** Lets a chain be read again from a block on. Audited. */
export async function rereadChain(
  ctx: Ctx,
  network: string,
  { rail, from, reason, actor }: { rail: Pick<Rail, 'reread'>; from: bigint; reason: string; actor: string },
): Promise<void> {
  await rail.reread?.(
    from,
    (db, events) => receiveRailEvents(ctx, db, events),
    (db) =>
      recordAudit(db, {
        at: ctx.clock.now(),
        actor,
        action: 'chain.reread',
        subject: `chain:${network}`,
        before: null,
        after: { from: String(from), reason },
      }),
  )
}
