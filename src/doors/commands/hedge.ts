import type { Ctx } from '../../exchange/context.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import {
  approvalsNeeded,
  approveHedge,
  cancelHedge,
  type ListedHedge,
  listHedges,
  resolveHedge,
} from '../../exchange/treasury/decide-hedge.ts'
import { proposeHedges } from '../../exchange/treasury/propose-hedges.ts'
import type { Answer, Invocation, Json } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { reasonOf } from './staff.ts'
import { withActor, withOperator } from './who.ts'

/** Lists hedges. */
export const list = (input: Invocation): Promise<Answer> => {
  const open = input.flags.open !== undefined
  return input.exchange(async (ctx) => {
    const json = (await listHedges(ctx, open)).map((hedge) => shown(ctx, hedge))
    return { json, text: json.length === 0 ? 'There is no hedge.' : layOut(json) }
  })
}

/** Writes down the hedges that the exposure needs now. */
export const propose = (input: Invocation): Promise<Answer> =>
  withActor(input, 'money.resolve', async (ctx) => {
    const ids = await proposeHedges(ctx)
    const json = (await listHedges(ctx, true)).filter(({ id }) => ids.includes(id)).map((hedge) => shown(ctx, hedge))
    return { json, text: json.length === 0 ? 'The exposure needs no new hedge.' : layOut(json) }
  })

/** Approves a hedge: as an operator with a token where two are needed. */
export const approve = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  const work = async (ctx: Ctx, actor: string): Promise<Answer> => {
    const { approvals, needed, isApproved } = await approveHedge(ctx, id, actor)
    const json = { id: String(id), approvals, needed, approved: isApproved }
    return { json, text: `${layOut(json)}\n\n${isApproved ? 'It is sent now.' : 'It waits for another operator.'}` }
  }
  return withActor(input, 'payouts.approve', (ctx, actor) =>
    approvalsNeeded(ctx) > 1
      ? withOperator({ ...input, exchange: (inner) => inner(ctx) }, 'payouts.approve', (_, operator) =>
          work(ctx, operatorSubject(operator)),
        )
      : work(ctx, actor),
  )
}

/** Cancels a hedge that was not sent. */
export const cancel = (input: Invocation): Promise<Answer> => decide(input, cancelHedge, 'canceled')

/** Ends an unknown hedge that a person has looked for. */
export const resolve = (input: Invocation): Promise<Answer> => decide(input, resolveHedge, 'canceled')

function decide(input: Invocation, work: typeof cancelHedge, state: string): Promise<Answer> {
  const [id, reason] = [idOf(input), reasonOf(input)]
  return withActor(input, 'money.resolve', async (ctx, actor) => {
    await work(ctx, id, { reason, actor })
    return { json: { id: String(id), state } }
  })
}

const shown = (ctx: Ctx, hedge: ListedHedge): Json => ({
  id: String(hedge.id),
  venue: hedge.venue,
  pair: hedge.pair,
  side: hedge.side,
  ...shownAmount(hedge.base, hedge.amount),
  limit_price: hedge.limit_price,
  filled: shownAmount(hedge.base, hedge.filled).amount,
  state: hedge.state,
  reason: hedge.reason,
  outcome: hedge.outcome,
  proposed_at: hedge.proposed_at.toISOString(),
  sent_at: hedge.sent_at?.toISOString() ?? null,
  ended_at: hedge.ended_at?.toISOString() ?? null,
  approved_by: hedge.approved_by,
  needs_approvals: hedge.state === 'proposed' ? Math.max(0, approvalsNeeded(ctx) - hedge.approved_by.length) : 0,
  client_order_id: hedge.client_order_id,
})
