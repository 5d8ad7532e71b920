import { haltedRails, resumeCrediting } from '../../exchange/settlement/halts.ts'
import { attemptsSince } from '../../exchange/settlement/rail-attempts.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Answer, Invocation } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

const dayMs = 86_400_000

/** Rails with their halts, their preference, and the attempts to pay of the last 24 hours. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const halts = await haltedRails(ctx.db)
    const attempts = await attemptsSince(ctx.db, after(ctx.clock.now(), -dayMs))
    const json = ctx.rails.all.map(({ name, custodyAccount, deposit, payout, preference }) => {
      const stop = halts.find((one) => one.name === name)
      return {
        name,
        place: custodyAccount,
        in: deposit !== undefined,
        out: payout !== undefined,
        confirmations: deposit?.confirmations ?? null,
        priority: preference?.priority ?? null,
        weight: preference?.weight ?? null,
        paid_24h: attempts.get(name)?.paid ?? 0,
        declined_24h: attempts.get(name)?.declined ?? 0,
        halted_since: stop?.since.toISOString() ?? null,
        halted_reason: stop?.reason ?? null,
        halted_by: stop?.haltedBy ?? null,
      }
    })
    return { json }
  })

export const resume = (input: Invocation): Promise<Answer> => {
  const [reason, name] = [reasonOf(input), input.args[0] ?? '']
  return withActor(input, 'system.manage', async (ctx, actor) => {
    await resumeCrediting(ctx, name, { reason, actor })
    return { json: { name, resumed: true } }
  })
}
