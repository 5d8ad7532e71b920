import { haltedRails, resumeRail } from '../../exchange/settlement/halted.ts'
import type { Answer, Invocation } from './command.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const halted = new Map((await haltedRails(ctx.db)).map((one) => [one.rail, one]))
    const { deposit, payout } = ctx.rails
    const names = [...new Set([...deposit.keys(), ...payout.keys()])]
    const json = names.map((name) => {
      const [way, back, stop] = [deposit.get(name), payout.get(name), halted.get(name)]
      return {
        name,
        place: (way ?? back)?.place ?? '',
        in: way !== undefined,
        out: back !== undefined,
        confirmations: way?.confirmations ?? null,
        halted_since: stop?.since.toISOString() ?? null,
        halted_reason: stop?.reason ?? null,
      }
    })
    return { json }
  })

export const resume = (input: Invocation): Promise<Answer> => {
  const [reason, name] = [reasonOf(input), input.args[0] ?? '']
  return withActor(input, async (ctx, actor) => {
    await resumeRail(ctx, name, { reason, actor })
    return { json: { name, resumed: true } }
  })
}
