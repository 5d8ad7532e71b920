import { type AccountBooking, bookCharge, openBalance } from '../treasury/balances.ts'
import type { Ctx } from '../context.ts'
import type { Action } from './action.ts'
import { nothing } from './nothing.ts'
import { shownAmount } from './shown-amount.ts'
import { field } from './input.ts'
import { amount, asset, text } from './values.ts'

const common = {
  subject: nothing('balance'),
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [
    field('account', text('ACCOUNT'), {
      label: 'Custody account',
      help: 'As listed by balance list or rail list.',
      isRequired: true,
    }),
    field('asset', asset, { isRequired: true }),
    field('amount', amount, { isRequired: true }),
  ],
} as const

const booking =
  (
    work: (
      ctx: Ctx,
      booking: AccountBooking & { bankAccount?: string | undefined; left?: string | undefined },
    ) => Promise<bigint>,
  ): Action<undefined>['run'] =>
  async (ctx, _subject, { reason, text: typed }, { actor }) => {
    const [account = '', of = '', units = ''] = ['account', 'asset', 'amount'].map(typed)
    const what = { account, asset: of, amount: units, bankAccount: typed('bank_account'), left: typed('left') }
    const booked = await work(ctx, { ...what, reason, actor })
    return { said: 'It is booked.', json: { account, ...shownAmount(of, booked) } }
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
      field('bank_account', text('ID'), {
        label: 'Account at the bank',
        help: 'Its IBAN or other id, if it was added after the rest was booked. The amount is what its first statement opens with.',
      }),
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
      field('left', amount, {
        label: 'Left at the processor',
        help: 'What it holds by its own report of now, if no payout follows that the charge is deducted from.',
      }),
    ],
    run: booking(bookCharge),
  },
]
