import { openBalance } from '../treasury/balances.ts'
import { bookCharge } from '../treasury/charge.ts'
import type { Action, By, Input } from './action.ts'
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

const typedIn = ({ text, reason }: Input, { actor }: By) => {
  const [account = '', asset = '', amount = ''] = ['account', 'asset', 'amount'].map(text)
  return { account, asset, amount, reason, actor }
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
    run: async (ctx, _subject, given, by) => {
      const { account, asset, ...booking } = typedIn(given, by)
      const booked = await openBalance(ctx, { ...booking, account, asset, bankAccount: given.text('bank_account') })
      return { said: 'It is booked.', json: { account, ...shownAmount(asset, booked) } }
    },
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
        help: 'What it holds by its own report of now, if no payout follows that the charge is deducted from. Two operators then book the charge: the second one runs the same command.',
        isOfCommands: true,
      }),
    ],
    takesKey: 'optional',
    approvals: '1, with --left 2',
    run: async (ctx, _subject, given, by) => {
      const { account, asset, ...booking } = typedIn(given, by)
      const order = { ...booking, account, asset, left: given.text('left'), sign: by.sign }
      const { amount: charged, approvals, needed } = await bookCharge(ctx, order)
      const isBooked = approvals >= needed
      const said = isBooked ? 'It is booked.' : `It waits for another operator (${approvals} of ${needed}).`
      return { said, json: { account, ...shownAmount(asset, charged), booked: isBooked, approvals, needed } }
    },
  },
]
