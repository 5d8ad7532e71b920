import {
  approveHedge,
  cancelHedge,
  findHedge,
  listHedges,
  type ListedHedge,
  resolveHedge,
  whyNotApproved,
  whyNotCanceled,
  whyNotResolved,
} from '../treasury/decide-hedge.ts'
import type { Ctx } from '../context.ts'
import { approvalsNeeded, hedgeContent } from '../treasury/hedge-content.ts'
import { proposeHedges } from '../treasury/propose-hedges.ts'
import type { Action, Json, SubjectKind } from './action.ts'
import { auditAsked } from './audit-asked.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'
import { operatorOf } from './operator-of.ts'
import { shownAmount } from './shown-amount.ts'

const hedges: SubjectKind<ListedHedge> = {
  noun: 'hedge',
  argument: 'ID',
  field: 'hedge',
  find: byId('hedge', findHedge),
}

/** A hedge as programs read it. */
export const hedgeJson = (ctx: Pick<Ctx, 'config'>, hedge: ListedHedge): Json => ({
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
  needs_approvals: whyNotApproved(hedge) ? 0 : Math.max(0, approvalsNeeded(ctx) - hedge.approved_by.length),
  client_order_id: hedge.client_order_id,
})

/** Looks for what the exposure needs. */
export const proposeHedgesNow: Action<undefined> = {
  subject: nothing('hedge'),
  name: 'propose-hedges',
  title: 'Look at the exposure now',
  does: 'Looks at the exposure now and writes down the hedges that it needs.',
  details: 'In the mode auto they are sent within the caps. While a hedge of a pair is open, there is no other.',
  permission: 'money.resolve',
  needsReason: 'none',
  fields: [],
  commands: [{ words: 'hedge propose' }],
  run: async (ctx, _subject, _given, { actor }) => {
    const ids = await proposeHedges(ctx)
    await auditAsked(ctx, { actor, action: 'hedge.looked', subject: 'hedge:all', after: { proposed: ids.map(String) } })
    const made = (await listHedges(ctx, true)).filter(({ id }) => ids.includes(id))
    const said = made.length === 0 ? 'The exposure needs no new hedge.' : `${made.length} hedges were proposed.`
    return { said, json: made.map((one) => hedgeJson(ctx, one)), ...(made.length === 0 ? { text: said } : {}) }
  },
}

const approve: Action<ListedHedge> = {
  subject: hedges,
  name: 'approve-hedge',
  title: 'Approve',
  does: 'Approves a proposed hedge. In live mode it needs two different operators.',
  permission: 'payouts.approve',
  approvals: '1, in live mode 2',
  needsReason: 'none',
  fields: [],
  commands: [{ words: 'hedge approve' }],
  content: hedgeContent,
  allowedNow: (_ctx, hedge) => whyNotApproved(hedge),
  run: async (ctx, { id }, _given, by) => {
    if (approvalsNeeded(ctx) > 1) operatorOf(by)
    const { approvals, needed, isApproved } = await approveHedge(ctx, id, by)
    const said = isApproved ? 'The hedge is sent now.' : 'The hedge waits for another operator.'
    return { said, json: { id: String(id), approvals, needed, approved: isApproved } }
  },
}

const cancel: Action<ListedHedge> = {
  subject: hedges,
  name: 'cancel-hedge',
  title: 'Cancel',
  does: 'Cancels a hedge that was not sent.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  commands: [{ words: 'hedge cancel' }],
  allowedNow: (_ctx, hedge) => whyNotCanceled(hedge),
  run: async (ctx, { id }, { reason }, { actor }) => {
    await cancelHedge(ctx, id, { reason, actor })
    return { said: 'The hedge is canceled.', json: { id: String(id), state: 'canceled' } }
  },
}

const resolve: Action<ListedHedge> = {
  subject: hedges,
  name: 'resolve-hedge',
  title: 'End',
  does: 'Ends an unknown hedge whose order does not exist at the venue.',
  details: `Look at the venue's own list of orders and trades first: its client order id is in "hedge list".
Refused until ten minutes after it was sent.`,
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  commands: [{ words: 'hedge resolve' }],
  allowedNow: (ctx, hedge) => whyNotResolved(ctx, hedge),
  run: async (ctx, { id }, { reason }, { actor }) => {
    await resolveHedge(ctx, id, { reason, actor })
    return { said: 'The hedge has ended.', json: { id: String(id), state: 'canceled' } }
  },
}

/** What an operator may do with a hedge. */
export const hedgeActions: readonly Action<ListedHedge>[] = [approve, cancel, resolve]
