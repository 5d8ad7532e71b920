import { advice, advisedCommands } from '../reconciliation/advice.ts'
import {
  bookDifference,
  type BreakWithGap,
  differenceContent,
  whyNotBooked,
  withGap,
} from '../operations/book-difference.ts'
import { withdrawBankBooking, whyBookingStays, withdrawalContent } from '../operations/withdraw-booking.ts'
import { resolveBreak, showBreak, whyNotResolved } from '../reconciliation/breaks.ts'
import { closeDay } from '../reconciliation/close.ts'
import { reconcile } from '../reconciliation/reconcile.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import type { Action, Json } from './action.ts'
import { auditAsked } from './audit-asked.ts'
import { byId } from './by-id.ts'
import { nothing } from './nothing.ts'
import { shownAmount } from './shown-amount.ts'
import { field } from './input.ts'
import { day } from './values.ts'

/** A difference between a statement and the books. */
export type Break = BreakWithGap

/** A break as programs read it. */
export const breakJson = (row: Omit<Break, 'gap'>) => ({
  id: String(row.id),
  account: row.account,
  asset: row.asset,
  kind: row.kind,
  key: row.key,
  amount: shownAmount(row.asset, row.amount).amount,
  cause: row.cause,
  advice: advice[row.cause],
  commands: advisedCommands[row.cause],
  owner: row.owner,
  state: row.state,
  found_at: row.found_at.toISOString(),
  confirmed_at: row.confirmed_at.toISOString(),
  ended_at: row.ended_at?.toISOString() ?? null,
  resolved_by: row.resolved_by,
  reason: row.reason,
})

const resolve: Action<Break> = {
  subject: {
    noun: 'break',
    argument: 'ID',
    field: 'break',
    find: byId('break', async (ctx, id) => withGap(ctx.db, await showBreak(ctx, id))),
  },
  name: 'resolve',
  title: 'Resolve',
  does: 'Marks a break as explained. It comes back if its amount changes. Not for what lies between two statements of a bank. Audited.',
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  allowedNow: whyNotResolved,
  preview: (_ctx, { cause }) => [advice[cause]],
  run: async (ctx, { id }, { reason }, { actor }) => ({
    said: 'The difference is resolved.',
    json: breakJson(await resolveBreak(ctx, id, { actor, reason })),
  }),
}

const withdraw: Action<Break> = {
  subject: resolve.subject,
  name: 'withdraw',
  title: 'Withdraw the booking',
  does: 'Withdraws a booking that a bank has reported and its statement does not have. Needs two operators.',
  details: `What was credited by it is reversed: an exchange that is not paid out is undone, and what was paid out already is a loss. A payout is owed again, one that came back is paid, what a recall took is given back, and a charge is no cost. No customer is marked for it.
If a statement holds the booking after all, it is booked again.`,
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  approvals: 2,
  content: withdrawalContent,
  allowedNow: whyBookingStays,
  run: async (ctx, { id }, { reason }, { actor, sign }) => {
    const { approvals, needed, row } = await withdrawBankBooking(ctx, id, { actor, reason, sign })
    const said =
      approvals < needed
        ? `It waits for another operator (${approvals} of ${needed}).`
        : 'The booking is withdrawn, and what followed from it is reversed.'
    return { said, json: { ...breakJson(row), approvals, needed } }
  },
}

const bookRest: Action<Break> = {
  subject: resolve.subject,
  name: 'book-difference',
  title: 'Book the difference',
  does: 'Books what lies between two statements, where those that lack will not come: the rest is money without an order. Needs two operators.',
  details: `The rest lies in suspense, or among the debits without an order: say there what it was. The missing numbers are no longer expected.
What comes of these days later is not booked by itself: a statement waits until two operators accept it, and its bookings wait for a person then.`,
  permission: 'money.resolve',
  needsReason: 'clear',
  fields: [],
  approvals: 2,
  content: differenceContent,
  allowedNow: (_ctx, row) => whyNotBooked(row),
  preview: (_ctx, { gap }) => (gap ? inGap(gap) : []),
  commands: [{ words: 'break book' }],
  run: async (ctx, { id }, { reason }, { actor, sign }) => {
    const { approvals, needed, row } = await bookDifference(ctx, id, { actor, reason, sign })
    const said =
      approvals < needed
        ? `It waits for another operator (${approvals} of ${needed}).`
        : 'The difference is booked: the rest is money without an order.'
    return { said, json: { ...breakJson(row), approvals, needed } }
  },
}

/** What an operator should know before a gap is decided about. */
function inGap({ asset, rest, known, numbers, outside, unanswered }: NonNullable<Break['gap']>): string[] {
  const lacking = numbers.map(({ first, last }) => (first === last ? String(first) : `${first}-${last}`))
  return [
    `It is not known what this was: ${shownAmount(asset, rest).amount} ${asset}. Ask the bank first.`,
    ...(known.length === 0 ? [] : [`The books have of these days, and no statement does: ${known.join(', ')}.`]),
    ...(lacking.length === 0 ? [] : [`Numbers that lack: ${lacking.join(', ')}.`]),
    ...(outside.length === 0
      ? []
      : [`Done by the bank, debited by no statement, and more than the difference: ${outside.join(', ')}.`]),
    ...(unanswered.length === 0
      ? []
      : [
          `The debit of a payment that the bank has not answered may be in it: ${unanswered.join(', ')}. Ask the bank about each.`,
        ]),
  ]
}

const dayMs = 86_400_000

/** A day in UTC, from its beginning to its end. */
function dayIn(text: string): { since: Date; until: Date } {
  const since = new Date(text)
  return { since, until: new Date(since.getTime() + dayMs) }
}

const compare: Action<undefined> = {
  subject: nothing('reconcile'),
  name: 'reconcile',
  title: 'Compare with the statements now',
  does: 'Compares custody accounts with their statements, item by item, and stores what differs as breaks. Audited.',
  details: 'The command exits with 1 if there is a break. What is only on its way is not one.',
  permission: 'money.resolve',
  needsReason: 'none',
  fields: [field('date', day, { label: 'Day', help: 'Empty: the last 30 days.' })],
  commands: [{ words: 'reconcile' }],
  isPatient: true,
  run: async (ctx, _subject, { text }, { actor }) => {
    const date = text('date')
    const { breaks, onItsWay } = await reconcile(ctx, date === undefined ? undefined : dayIn(date))
    const after = { breaks: breaks.length }
    await auditAsked(ctx, { actor, action: 'day.compared', subject: `day:${date ?? 'latest'}`, after })
    const ok = breaks.length === 0
    const said = ok ? 'The statements agree with the books.' : `Differences: ${breaks.length}.`
    const json = { ok, breaks: breaks.map(breakJson), on_its_way: onItsWay.length }
    return { said, json, ...(ok ? { text: said } : { exitCode: 1 }) }
  },
}

const close: Action<undefined> = {
  subject: nothing('close'),
  name: 'close',
  title: 'Close a day',
  does: 'Closes a day: freezes the balance of every account at its end (UTC). Shows the figures of a closed day.',
  details: 'Days are closed in order. What is booked for a closed day later belongs to the day that is closed next.',
  permission: 'money.close',
  needsReason: 'none',
  fields: [field('day', day, { argument: 'DATE', isRequired: true })],
  commands: [{ words: 'close' }],
  run: async (ctx, _subject, { text }, { actor }) => {
    const closed = await closeDay(ctx, text('day') ?? '', actor)
    return { said: `The day ${closed.day} is closed.`, json: closedJson(closed) }
  },
}

const profitColumns = [
  ['spread', 'spread'],
  ['fees', 'fees'],
  ['method_costs', 'methodCosts'],
  ['network_costs', 'networkCosts'],
  ['hedging', 'hedging'],
  ['drift', 'drift'],
  ['revaluation', 'revaluation'],
  ['total', 'total'],
] as const

const closedJson = (closed: Awaited<ReturnType<typeof closeDay>>): Json => ({
  day: closed.day,
  closed_at: closed.closedAt.toISOString(),
  closed_by: closed.closedBy,
  breaks_open: closed.breaksOpen,
  accounts: closed.accounts.map(({ account, asset, opening, closing }) => ({
    account,
    asset,
    opening: shownAmount(asset, opening).amount,
    change: shownAmount(asset, closing - opening).amount,
    closing: shownAmount(asset, closing).amount,
  })),
  profit: closed.profit.map((row) => ({
    asset: row.asset,
    ...Object.fromEntries(profitColumns.map(([name, column]) => [name, formatAmount(row[column], { decimals: 8 })])),
  })),
})

export const breakActions: readonly Action<Break>[] = [resolve, withdraw, bookRest]
export const bookActions: readonly Action<undefined>[] = [compare, close]
