import { approvePayout, listOpenPayouts, type OpenPayout } from '../../exchange/settlement/approval.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from './shown-amount.ts'
import { withOperator } from './who.ts'

/** Approves a payout or refund above the limit as the operator whose token was given. */
export const approve = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return withOperator(input, 'payouts.approve', async (ctx, operator) => {
    const { payoutId, transactionId, approvals, needed, isApproved } = await approvePayout(ctx, id, operator)
    const json = {
      payout_id: String(payoutId),
      transaction_id: transactionId === null ? null : String(transactionId),
      approvals,
      needed,
      goes_on: isApproved,
    }
    const last = isApproved ? 'It is sent now.' : 'It waits for another operator.'
    return { json, text: `${layOut(json)}\n\n${last}` }
  })
}

/** Lists open payouts and refunds, or only those that wait for approval. */
export const list = (input: Invocation): Promise<Answer> => {
  const waiting = input.flags.waiting !== undefined
  return input.exchange(async (ctx) => {
    const json = (await listOpenPayouts(ctx, { waiting })).map(shown)
    const none = waiting ? 'No payout waits for approval.' : 'No payout is open.'
    return { json, text: json.length === 0 ? none : layOut(json) }
  })
}

const shown = ({ id, public_id, purpose, status, rail, asset, amount, state, ordered_at, ...row }: OpenPayout) => ({
  id: String(id),
  transaction_id: public_id === null ? null : String(public_id),
  purpose,
  status,
  rail,
  ...shownAmount(asset, amount),
  state,
  ordered_at: ordered_at.toISOString(),
  approved_by: row.approved_by,
  needs_approvals: row.needs,
})
