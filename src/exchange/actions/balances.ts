import { type AccountBooking, bookCharge, openBalance } from '../treasury/balances.ts'
import type { Ctx } from '../context.ts'
import type { Action } from './action.ts'
import { nothing } from './nothing.ts'
import { shownAmount } from './shown-amount.ts'

const common = {
  subject: nothing('balance'),
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    {
      name: 'account',
      value: 'A',
      label: 'Custody account',
      help: 'As listed by balance list or rail list.',
      isRequired: true,
    },
    { name: 'asset', value: 'X', label: 'Asset', help: 'As in BTC-BTC.', isRequired: true },
    { name: 'amount', value: 'N', label: 'Amount', help: 'A decimal in whole units.', isRequired: true },
  ],
} as const

const booking =
  (
    work: (
      ctx: Ctx,
      booking: AccountBooking & { bankAccount?: string | undefined; left?: string | undefined },
    ) => Promise<bigint>,
  ): Action<undefined>['run'] =>
  async (ctx, _subject, { reason, text }, { actor }) => {
    const [account = '', asset = '', amount = ''] = ['account', 'asset', 'amount'].map(text)
    const booked = await work(ctx, {
      account,
      asset,
      amount,
      bankAccount: text('bank_account'),
      left: text('left'),
      reason,
      actor,
    })
    return { said: 'It is booked.', json: { account, ...shownAmount(asset, booked) } }
  }

/** What is booked on accounts without an order. */
export const balanceActions: readonly Action<undefined>[] = [
  {
    ...common,
    name: 'open-balance',
    title: 'Book an opening balance',
    does: 'Books what an account held before the exchange began, as capital. Audited.',
    details: 'Refuses an account whose opening balance in this asset is booked already.',
    commands: [{ words: 'balance open' }],
    fields: [
      ...common.fields,
      {
        name: 'bank_account',
        value: 'ID',
        label: 'Account at the bank',
        help: 'Its IBAN or other id, if it was added after the rest was booked. The amount is what its first statement opens with.',
      },
    ],
    run: booking(openBalance),
  },
  {
    ...common,
    name: 'book-charge',
    title: 'Book a charge',
    does: 'Books what a processor or bank charged on an account. Audited.',
    details:
      'At a processor: no more than its payouts have settled and left out, or than is missing by its own report.',
    commands: [{ words: 'balance charge' }],
    fields: [
      ...common.fields,
      {
        name: 'left',
        value: 'N',
        label: 'Left at the processor',
        help: 'What it holds by its own report of now, if no payout follows that the charge is deducted from.',
      },
    ],
    run: booking(bookCharge),
  },
]
