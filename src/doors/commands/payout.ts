import { listOpenPayouts, type OpenPayout } from '../../exchange/settlement/approval.ts'
import { showPayout } from '../../exchange/settlement/end-payout.ts'
import type { ComparedPayee } from '../../exchange/settlement/payee.ts'
import { scoreText } from '../../exchange/settlement/payer.ts'
import type { Answer, Invocation } from './command.ts'
import { layOut } from './layout.ts'
import { idOf } from './read-id.ts'
import { shownAmount } from '../../exchange/actions/shown-amount.ts'

/** Shows a payout or refund, how far it is, and why it was not sent the last time. */
export const show = (input: Invocation): Promise<Answer> => {
  const id = idOf(input)
  return input.exchange(async (ctx) => {
    const { public_id: transactionId, rail, asset, amount, progress, payee } = await showPayout(ctx, id)
    const { state, refusal, mayHaveLeft = false } = progress
    const json = {
      id: String(id),
      transaction_id: transactionId === null ? null : String(transactionId),
      rail,
      ...shownAmount(asset, amount),
      state,
      may_have_left: mayHaveLeft,
      refused_until: refusal?.refusedUntil.toISOString() ?? null,
      refusal: refusal ? { code: refusal.code, message: refusal.message } : null,
      payee: payee ? shownPayee(payee) : null,
    }
    const why = refusal ? `${refusal.code}: ${refusal.message}` : null
    return { json, text: layOut({ ...json, refusal: why, payee: payee ? payeeText(payee) : null }) }
  })
}

const shownPayee = ({ match, names, name, isVerified, score }: ComparedPayee) => ({
  match,
  names,
  customer: name,
  is_verified: isVerified,
  score: score === null ? null : scoreText(score),
})

const payeeText = ({ match, names, name, score }: ComparedPayee): string =>
  `${match}: ${names}${score === null ? '' : ` (likeness to ${name ?? ''}: ${scoreText(score)})`}`

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
  ordered_by: row.ordered_by,
  ordered_because: row.ordered_because,
  approved_by: row.approved_by,
  needs_approvals: row.needs,
})
