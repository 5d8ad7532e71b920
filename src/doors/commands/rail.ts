import { haltedRails } from '../../exchange/settlement/halts.ts'
import { attemptsSince } from '../../exchange/settlement/rail-attempts.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'

const dayMs = 86_400_000

/** Rails with their halts, their preference, and the attempts to pay of the last 24 hours. */
export const list = (input: Invocation): Promise<Answer> =>
  input.exchange(async (ctx) => {
    const halts = await haltedRails(ctx.db)
    const attempts = await attemptsSince(ctx.db, after(ctx.clock.now(), -dayMs))
    const listed = ctx.rails.all.map(async ({ name, custodyAccount, deposit, payout, preference, ...rail }) => {
      const nodes = (await rail.nodes?.()) ?? []
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
        nodes: nodes.map((node) => ({ ...node, since: node.since?.toISOString() ?? null })),
      }
    })
    const json = await Promise.all(listed)
    // A table has no room for lists: one column has the states of the nodes.
    const rows = json.map((row) => ({ ...row, nodes: row.nodes.map(({ state }) => state).join(' ') }))
    return { json, text: layOut(rows) }
  })
