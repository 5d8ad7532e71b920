import {
  cancelTransaction,
  holdTransaction,
  refundTransaction,
  releaseTransaction,
} from '../../exchange/operations/staff.ts'
import { operatorSubject } from '../../exchange/operators/operator.ts'
import type { Permission } from '../../exchange/operators/roles.ts'
import { addNote } from '../../exchange/reports/notes.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { Refusal } from '../../platform/lib/refusal.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { ActionField, ActionForm } from '../pages/form.tsx'
import type { Visit } from './page.ts'

type Action = 'hold' | 'release' | 'refund' | 'cancel' | 'note'

const needs: Readonly<Record<Action, Permission>> = {
  hold: 'orders.hold',
  release: 'orders.release',
  refund: 'orders.refund',
  cancel: 'orders.cancel',
  note: 'orders.note',
}

/** Does what an action's form says about an order. */
export async function actOn(
  { ctx, form, operator, may }: Visit & { form: URLSearchParams },
  transaction: Transaction,
): Promise<void> {
  const action = form.get('action') ?? ''
  if (!(action in needs)) throw new Refusal('BAD_REQUEST', 'There is no such action.')
  if (!may(needs[action as Action])) throw new Refusal('FORBIDDEN', 'Your role does not include this action.')
  const { publicId } = transaction
  const order = {
    reason: (form.get('reason') ?? '').trim().slice(0, 1_000),
    actor: operatorSubject({ id: operator.operatorId }),
  }
  switch (action as Action) {
    case 'hold':
      return void (await holdTransaction(ctx, publicId, order))
    case 'release':
      return void (await releaseTransaction(ctx, publicId, order))
    case 'cancel':
      return void (await cancelTransaction(ctx, publicId, order))
    case 'note':
      return addNote(ctx, publicId, { text: form.get('text') ?? '', operatorId: operator.operatorId })
    case 'refund': {
      const text = (form.get('amount') ?? '').trim()
      const amount = text === '' ? undefined : readAmount(text, transaction)
      return void (await refundTransaction(ctx, publicId, { ...order, ...(amount === undefined ? {} : { amount }) }))
    }
  }
}

function readAmount(text: string, { from }: Transaction): bigint {
  try {
    return parseAmount(text, from.asset)
  } catch {
    throw new Refusal('BAD_REQUEST', `The amount must be a decimal of ${from.asset.ticker}, as in 12.50.`)
  }
}

const reason = (id: string) => (
  <ActionField id={id} name="reason" label="Reason" hint="Stored in clear text: name nobody." required />
)

/** What can be done now; each form says what it does before it is sent. */
export function Actions({ visit, transaction }: { visit: Visit; transaction: Transaction }) {
  const { status } = transaction
  const isOver = ['finished', 'refunded', 'expired', 'cancelled', 'failed'].includes(status)
  const mayHold = !isOver && status !== 'new' && status !== 'sending' && visit.may('orders.hold')
  const open = ['new', 'waiting_for_customer', 'waiting_for_deposit', 'on_hold'].includes(status)
  return (
    <section class="actions" aria-label="Actions">
      {status === 'on_hold' && visit.may('orders.release') ? (
        <Detail title="Release">
          <ActionForm visit={visit} action="release" name="Release">
            <p class="hint">
              It continues: what arrived is exchanged and paid out, at the current price if the agreed one is over.
            </p>
            {reason('release-reason')}
          </ActionForm>
        </Detail>
      ) : null}
      {(status === 'on_hold' || status === 'exchanging') && visit.may('orders.refund') ? (
        <Detail title="Refund">
          <ActionForm visit={visit} action="refund" name="Refund">
            <p class="hint">
              What arrived and was not paid out goes back the way it came, less the cost of sending it.
            </p>
            <ActionField
              id="refund-amount"
              name="amount"
              label={`Amount in ${transaction.from.asset.ticker}`}
              hint="Leave empty for everything."
            />
            {reason('refund-reason')}
          </ActionForm>
        </Detail>
      ) : null}
      {mayHold ? (
        <Detail title="Hold">
          <ActionForm visit={visit} action="hold" name="Hold">
            <p class="hint">Nothing is paid out until somebody releases it. Money that arrives is booked and stays.</p>
            {reason('hold-reason')}
          </ActionForm>
        </Detail>
      ) : null}
      {open && visit.may('orders.cancel') ? (
        <Detail title="Cancel">
          <ActionForm visit={visit} action="cancel" name="Cancel the order">
            <p class="hint">Only an order without money can be cancelled.</p>
            {reason('cancel-reason')}
          </ActionForm>
        </Detail>
      ) : null}
      {visit.may('orders.note') ? (
        <Detail title="Add a note">
          <ActionForm visit={visit} action="note" name="Save the note">
            <div class="field">
              <label for="note">Note</label>
              <textarea id="note" name="text" rows={3} maxLength={4000} required></textarea>
            </div>
          </ActionForm>
        </Detail>
      ) : null}
    </section>
  )
}

const Detail = ({ title, children }: { title: string; children: preact.ComponentChildren }) => (
  <details>
    <summary>{title}</summary>
    {children}
  </details>
)
