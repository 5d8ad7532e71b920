import { openRestored, showRestored } from '../../exchange/operations/restore.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { shownAmount } from './shown-amount.ts'
import { reasonOf } from './staff.ts'
import { withActor } from './who.ts'

export const show = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const { halt, left } = await showRestored(ctx)
    const json = {
      restored: halt !== undefined,
      since: halt?.since.toISOString() ?? null,
      reason: halt?.reason ?? null,
      left: left.map(({ rail, key, asset, amount, at }) => ({ at, rail, key, ...shownAmount(asset, BigInt(amount)) })),
    }
    return { json, text: layOut(json) }
  })

export const open = (input: Invocation): Promise<Answer> => {
  const reason = reasonOf(input)
  return withActor(input, 'system.halt', async (ctx, actor, operator) => {
    const { status } = await openRestored(ctx, { reason, actor, operator })
    const isOpen = status === 'resumed'
    return {
      json: { status: isOpen ? 'open' : status },
      text: isOpen ? 'The exchange is open.' : 'Another operator must run the same command.',
    }
  })
}
