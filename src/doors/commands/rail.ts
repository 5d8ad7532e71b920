import { haltedRails, resumeCrediting } from '../../exchange/settlement/halts.ts'
import type { Answer, Invocation } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const halts = await haltedRails(ctx.db)
    const json = ctx.rails.all.map(({ name, custodyAccount, deposit, payout }) => {
      const stop = halts.find((one) => one.name === name)
      return {
        name,
        place: custodyAccount,
        in: deposit !== undefined,
        out: payout !== undefined,
        confirmations: deposit?.confirmations ?? null,
        halted_since: stop?.since.toISOString() ?? null,
        halted_reason: stop?.reason ?? null,
        halted_by: stop?.haltedBy ?? null,
      }
    })
    return { json }
  })

export const resume = (input: Invocation): Promise<Answer> => {
  const [reason, name] = [reasonOf(input), input.args[0] ?? '']
  return withActor(input, async (ctx, actor) => {
    await resumeCrediting(ctx, name, { reason, actor })
    return { json: { name, resumed: true } }
  })
}
