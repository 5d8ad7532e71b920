import { approvePayout, listOpenPayouts, type OpenPayout } from '../transactions/approve.ts'
import type { Answer, Given } from './command.ts'
import { layOut } from './layout.ts'
import { withExchange } from './reach.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { withOperator } from './who.ts'

/** Approves a payout above the limit, in the name of the operator whose token it has. */
export const approve = (given: Given): Promise<Answer> => {
  const id = idOf(given)
  return withOperator(given, async (ctx, operator) => {
    const { payoutId, transactionId, approvals, needed, goesOn } = await approvePayout(ctx, id, operator)
    const json = {
      payout_id: String(payoutId),
      transaction_id: String(transactionId),
      approvals,
      needed,
      goes_on: goesOn,
    }
    const last = goesOn ? 'It goes on now.' : 'It waits for another operator.'
    return { json, text: `${layOut(json)}\n\n${last}` }
  })
}

/** Lists payouts that have not come to their end, or only those that wait for approval. */
export const list = ({ flags }: Given): Promise<Answer> => {
  const waiting = flags.waiting !== undefined
  return withExchange(async (ctx) => {
    const json = (await listOpenPayouts(ctx, { waiting })).map(shown)
    const none = waiting ? 'No payout waits for an approval.' : 'No payout is open.'
    return { json, text: json.length === 0 ? none : layOut(json) }
  })
}

const shown = ({ id, public_id, status, rail, asset, amount, state, ordered_at, approved_by, needs }: OpenPayout) => ({
  id: String(id),
  transaction_id: String(public_id),
  status,
  rail,
  ...shownAmount(asset, amount),
  state,
  ordered_at: ordered_at.toISOString(),
  approved_by,
  needs_approvals: needs,
})
