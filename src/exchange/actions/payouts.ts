import type { Content } from '../approvals/content.ts'
import { approvePayout, payoutToApprove, whyNotApproved } from '../settlement/approval.ts'
import { confirmPayout, whyNotConfirmed } from '../settlement/confirm-payout.ts'
import {
  confirmedContent,
  endContent,
  endPayout,
  type PayoutToEnd,
  payoutToEnd,
  whyNotEnded,
} from '../settlement/end-payout.ts'
import type { Action } from './action.ts'
import { byId } from './by-id.ts'
import { field } from './input.ts'
import { operatorOf } from './operator-of.ts'
import { shownAmount } from './shown-amount.ts'
import { choice } from './values.ts'

/** A payout or refund above the limit: `null`: nobody knows any more where it goes. */
export type PayoutToApprove = { id: bigint; waits: boolean; content?: Content | null }

const approve: Action<PayoutToApprove> = {
  subject: {
    noun: 'payout',
    argument: 'ID',
    field: 'payout',
    find: byId('payout', payoutToApprove),
  },
  name: 'approve',
  title: 'Approve',
  does: 'Approves a payout or refund above the limit. It is sent once two different operators have approved it.',
  permission: 'payouts.approve',
  needsReason: 'none',
  fields: [],
  byOperator: true,
  approvals: 2,
  commands: [
    {
      words: 'payout approve',
      details: `ID is the payout's or its transaction's. --key: your private key, which signs what is approved.
Without a key it needs your operator token, and works in the sandbox only. See: cambio help operator key add`,
    },
  ],
  content: ({ id, content }) => content ?? { kind: 'payout', id: String(id) },
  allowedNow: (_ctx, payout) =>
    payout.content === null ? 'Its customer was erased: nobody can tell where it goes.' : whyNotApproved(payout),
  run: async (ctx, { id }, _given, by) => {
    const { payoutId, transactionId, approvals, needed, isApproved } = await approvePayout(
      ctx,
      id,
      operatorOf(by),
      by.sign,
    )
    const json = {
      payout_id: String(payoutId),
      transaction_id: transactionId === null ? null : String(transactionId),
      approvals,
      needed,
      goes_on: isApproved,
    }
    return { said: isApproved ? 'Approved: it is sent now.' : 'Approved. It waits for another operator.', json }
  },
}

const lacking = field('bank_lacks_it', choice(['yes']), {
  label: 'The bank does not have it',
  help: "Yes only if you have seen that the bank's own list of payments lacks it. Asked where a statement never came, or was the first.",
})

export const endPayment: Action<PayoutToEnd> = {
  subject: { noun: 'payout', argument: 'ID', field: 'payout', find: byId('payout', payoutToEnd) },
  name: 'cancel-payout',
  title: 'End the payment',
  does: 'Ends a prepared payment that its chain excludes by now, once two different operators want it.',
  details: `Excluded: nothing was signed for it; or something else has spent its inputs, or has used its nonce or its number, in a
final block. Before, it is refused with NOT_EXCLUDED. Afterwards the transaction can be released, which orders it again.`,
  permission: 'payouts.approve',
  needsReason: 'clear',
  fields: [lacking],
  byOperator: true,
  approvals: 2,
  commands: [{ words: 'payout cancel' }],
  content: endContent,
  allowedNow: (ctx, payout) => whyNotEnded(ctx, payout),
  run: async (ctx, { id }, { reason, value }, by) => {
    const isLacking = value(lacking) === 'yes'
    const order = { operator: operatorOf(by), reason, sign: by.sign, isLacking }
    const { approvals, needed, isEnded } = await endPayout(ctx, id, order)
    const said = isEnded ? 'It is ended, and can be ordered again.' : 'It waits for another operator.'
    return { said, json: { payout_id: String(id), approvals, needed, ended: isEnded } }
  },
}

export const confirmPayment: Action<PayoutToEnd> = {
  ...endPayment,
  name: 'confirm-payout',
  title: 'The bank has paid it',
  does: 'Says of a payment that the bank never answers that its debit is in a difference that was booked. Needs two operators.',
  details: `Look into the bank's own list of payments first. What the difference was booked as is booked back; what is left of it is a debit without
an order. If the bank says later that it has refused the payment, or debits it elsewhere, that is a break.`,
  fields: [],
  commands: [{ words: 'payout confirm' }],
  content: confirmedContent,
  allowedNow: (_ctx, payout) => whyNotConfirmed(payout),
  preview: (_ctx, { asset, difference }) => {
    if (!difference) return []
    const shown = (amount: bigint): string => `${shownAmount(asset, amount).amount} ${asset}`
    return [
      `It is in ${difference.payment}, of ${shown(difference.amount)}.`,
      ...difference.alike.map(
        ({ payment, amount }) =>
          `The debit ${payment}, of ${shown(amount)}, names no payment, and may be this one, too.`,
      ),
    ]
  },
  run: async (ctx, { id }, { reason }, by) => {
    const { approvals, needed, isEnded } = await confirmPayout(ctx, id, {
      operator: operatorOf(by),
      reason,
      sign: by.sign,
    })
    const said = isEnded ? 'It is paid.' : 'It waits for another operator.'
    return { said, json: { payout_id: String(id), approvals, needed, paid: isEnded } }
  },
}

export const payoutActions: readonly Action<PayoutToApprove>[] = [approve]
export const endingActions: readonly Action<PayoutToEnd>[] = [endPayment, confirmPayment]
