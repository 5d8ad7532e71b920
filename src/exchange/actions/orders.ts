import {
  cancelTransaction,
  holdTransaction,
  redirectRefund,
  refundTransaction,
  releaseTransaction,
} from '../operations/staff.ts'
import {
  redirectedOf,
  refundableOf,
  type RefundablePart,
  whyNotCancelled,
  whyNotHeld,
  whyNotRedirected,
  whyNotReleased,
} from '../operations/staff-rules.ts'
import type { Ctx } from '../context.ts'
import { addNote } from '../reports/notes.ts'
import { readEvenErased } from '../transactions/load.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { badField } from '../../platform/lib/refusal.ts'
import { formatAmount } from '../../platform/money/amount.ts'
import { unitsAt } from '../../platform/money/amount-in.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Action, ActionResult, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { destinationFields, destinationFile, destinationIn, destinationInFile } from './destination.ts'
import { operatorOf } from './operator-of.ts'
import { field } from './input.ts'
import { amount, id, text as anyText } from './values.ts'

const orders: SubjectKind<Transaction> = {
  noun: 'transaction',
  argument: 'ID',
  find: byId('transaction', (ctx, id) => readEvenErased(ctx, ctx.db, id)),
}

/** The status alone; `transaction show` has the rest. */
export const doneTo = ({ publicId, status, statusDetails, history }: Transaction, said: string): ActionResult => ({
  said,
  json: {
    transaction_id: String(publicId),
    status,
    status_details: statusDetails,
    reason: history.at(-1)?.reason ?? null,
  },
})

const isNow = ({ status }: Transaction): string => `It is ${status.replaceAll('_', ' ')} now.`

const hold: Action<Transaction> = {
  subject: orders,
  name: 'hold',
  title: 'Hold',
  does: 'Puts a transaction on hold for review. Audited.',
  details: `Nothing is paid out until somebody releases it. Money that arrives is booked and stays. Also stops refunds that are not prepared yet.`,
  permission: 'orders.hold',
  needsReason: 'clear',
  fields: [],
  allowedNow: (ctx, transaction) => whyNotHeld(ctx.db, transaction),
  run: async (ctx, { publicId }, { reason }, { actor }) =>
    doneTo(await holdTransaction(ctx, publicId, { reason, actor }), 'The order is on hold. Nothing is paid out.'),
}

const payTo = field('pay_to', id('ADDRESS_ID'), {
  label: 'Pay to another registered address',
  help: 'For B2B: another registered payout address. Empty: as ordered.',
})

const release: Action<Transaction> = {
  subject: orders,
  name: 'release',
  title: 'Release',
  does: 'Resumes a transaction that is on hold: exchanges available funds, repeats a returned payout.',
  details: `If the agreed price has expired, the current one applies. Payouts above the limit still need approvals.`,
  permission: 'orders.release',
  needsReason: 'clear',
  fields: [payTo],
  allowedNow: (ctx, transaction) => whyNotReleased(ctx.db, transaction),
  run: async (ctx, { publicId }, { reason, value }, { actor }) => {
    const address = value(payTo)
    const order = { reason, actor, ...(address === undefined ? {} : { payTo: address }) }
    const after = await releaseTransaction(ctx, publicId, order)
    return doneTo(after, `The order was released. ${isNow(after)}`)
  },
}

const refund: Action<Transaction> = {
  subject: orders,
  name: 'refund',
  title: 'Refund',
  does: 'Refunds what was deposited and not paid out, to where it came from, less the network cost.',
  details: 'Refunds above the limit need approvals.',
  permission: 'orders.refund',
  needsReason: 'clear',
  fields: [
    field('amount', amount, {
      unit: ({ from }) => from.asset.ticker,
      help: `In the deposit's currency. Empty: everything.`,
    }),
    destinationFile,
  ],
  allowedNow: async (ctx, transaction, given) =>
    given?.has('to') ? whyNotRedirected(ctx.db, transaction) : (await refundableOf(ctx.db, transaction)).why,
  preview: async (ctx, transaction) =>
    (await refundableOf(ctx.db, transaction)).parts.map((part) => sentenceOf(part, 'customer')),
  run: async (ctx, transaction, { reason, text }, { actor }) => {
    const typed = text('amount')
    const to = destinationInFile(text('to'))
    if (to) return redirected(ctx, transaction, typed, { reason, actor, to })
    const { asset } = transaction.from
    const units = typed === undefined ? undefined : unitsAt(typed, asset, 'amount')
    const order = { reason, actor, ...(units === undefined ? {} : { amount: units }) }
    const after = await refundTransaction(ctx, transaction.publicId, order)
    const what = units === undefined ? 'What is left' : `${formatAmount(units, asset)} ${asset.ticker}`
    return doneTo(after, `${what} goes back. ${isNow(after)}`)
  },
}

async function redirected(
  ctx: Ctx,
  { publicId }: Transaction,
  typed: string | undefined,
  order: Parameters<typeof redirectRefund>[2],
): Promise<ActionResult> {
  if (typed !== undefined) throw badField('amount', '--to redirects whole refunds. It takes no --amount.')
  return doneTo(await redirectRefund(ctx, publicId, order), 'The refund goes there.')
}

/** `Left: 100 EUR. Sending it costs 1 EUR. The customer gets 99 EUR.` */
export function sentenceOf({ asset: id, amount, cost }: RefundablePart, who: 'customer' | 'sender'): string {
  const asset = bookedAsset(id)
  const shown = (units: bigint): string =>
    asset ? `${formatAmount(units, asset)} ${asset.ticker}` : `${units} of ${id}`
  const sending = cost === 0n ? `Sending it costs the ${who} nothing.` : `Sending it costs ${shown(cost)}.`
  const got = cost < amount ? `The ${who} gets ${shown(amount - cost)}.` : 'That is not worth sending: nothing is sent.'
  return `Left: ${shown(amount)}. ${sending} ${got}`
}

const redirect: Action<Transaction> = {
  subject: orders,
  name: 'redirect',
  title: 'Send the refund elsewhere',
  does: 'Sends a refund that failed, or waits for an address, to another account or address of the payer.',
  details: 'Make sure that it belongs to the payer: the order’s page names those who paid by bank, and nobody else.',
  permission: 'orders.refund',
  needsReason: 'clear',
  fields: destinationFields,
  allowedNow: (ctx, transaction) => whyNotRedirected(ctx.db, transaction),
  preview: async (ctx, transaction) =>
    (await redirectedOf(ctx.db, transaction)).map((part) => sentenceOf(part, 'customer')),
  commands: [],
  run: (ctx, transaction, given, { actor }) =>
    redirected(ctx, transaction, undefined, { reason: given.reason, actor, to: destinationIn(given) }),
}

const cancel: Action<Transaction> = {
  subject: orders,
  name: 'cancel',
  title: 'Cancel the order',
  does: 'Cancels a transaction that has not been paid.',
  details: 'Only an order without money can be cancelled.',
  permission: 'orders.cancel',
  needsReason: 'clear',
  fields: [],
  allowedNow: (ctx, transaction) => whyNotCancelled(ctx.db, transaction),
  run: async (ctx, { publicId }, { reason }, { actor }) =>
    doneTo(await cancelTransaction(ctx, publicId, { reason, actor }), 'The order is cancelled.'),
}

const note: Action<Transaction> = {
  subject: orders,
  name: 'note',
  title: 'Add a note',
  does: 'Writes a note about a transaction. It is encrypted, and erased with the person.',
  permission: 'orders.note',
  needsReason: 'none',
  fields: [field('text', anyText('TEXT', 4_000, 3), { label: 'Note', isRequired: true, isFile: true })],
  byOperator: true,
  run: async (ctx, { publicId }, given, by) => {
    await addNote(ctx, publicId, { text: given.text('text') ?? '', operatorId: operatorOf(by).id })
    return { said: 'The note is saved.', json: { transaction_id: String(publicId), noted: true } }
  },
}

/** What an operator may do with an order, in the order of its page. */
export const orderActions: readonly Action<Transaction>[] = [release, refund, redirect, hold, cancel, note]
