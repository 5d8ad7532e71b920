import {
  cancelTransaction,
  holdTransaction,
  redirectRefund,
  refundTransaction,
  releaseTransaction,
} from '../operations/staff.ts'
import {
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
import { readId } from '../../platform/lib/ids.ts'
import { formatAmount, parseAmount } from '../../platform/money/amount.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import type { Action, ActionResult, SubjectKind } from './action.ts'
import { byId } from './by-id.ts'
import { destinationFields, destinationFile, destinationIn, destinationInFile } from './destination.ts'
import { operatorOf } from './operator-of.ts'

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

const release: Action<Transaction> = {
  subject: orders,
  name: 'release',
  title: 'Release',
  does: 'Resumes a transaction that is on hold: exchanges available funds, repeats a returned payout.',
  details: `If the agreed price has expired, the current one applies. Payouts above the limit still need approvals.`,
  permission: 'orders.release',
  needsReason: 'clear',
  fields: [
    {
      name: 'pay_to',
      value: 'ADDRESS_ID',
      label: 'Pay to another registered address',
      help: 'For B2B: the id of another registered payout address. Empty: as ordered.',
    },
  ],
  allowedNow: (ctx, transaction) => whyNotReleased(ctx.db, transaction),
  run: async (ctx, { publicId }, { reason, text }, { actor }) => {
    const payTo = addressId(text('pay_to'))
    const order = { reason, actor, ...(payTo === undefined ? {} : { payTo }) }
    const after = await releaseTransaction(ctx, publicId, order)
    return doneTo(after, `The order was released. ${isNow(after)}`)
  },
}

function addressId(text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined
  const id = readId(text)
  if (id === undefined) throw badField('pay_to', 'A payout address has an id of digits.')
  return id
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
    {
      name: 'amount',
      value: 'AMOUNT',
      label: 'Amount',
      unit: ({ from }) => from.asset.ticker,
      help: `A decimal in the deposit's currency. Empty: everything.`,
    },
    destinationFile,
  ],
  check: ({ text }) => {
    if (!/^\d+(\.\d+)?$/.test(text('amount') ?? '0'))
      throw badField('amount', 'The amount must be a decimal, as in 12.50.')
  },
  allowedNow: async (ctx, transaction, given) =>
    given?.has('to') ? whyNotRedirected(ctx.db, transaction) : (await refundableOf(ctx.db, transaction)).why,
  preview: async (ctx, transaction) => (await refundableOf(ctx.db, transaction)).parts.map(sentenceOf),
  run: async (ctx, transaction, { reason, text }, { actor }) => {
    const typed = text('amount')
    const to = destinationInFile(text('to'))
    if (to) return redirected(ctx, transaction, typed, { reason, actor, to })
    const order = { reason, actor, ...(typed === undefined ? {} : { amount: amountIn(typed, transaction) }) }
    const after = await refundTransaction(ctx, transaction.publicId, order)
    const { from } = transaction
    const what =
      typed === undefined
        ? 'What is left'
        : `${formatAmount(amountIn(typed, transaction), from.asset)} ${from.asset.ticker}`
    return doneTo(after, `${what} goes back. ${isNow(after)}`)
  },
}

async function redirected(
  ctx: Ctx,
  { publicId }: Transaction,
  amount: string | undefined,
  order: Parameters<typeof redirectRefund>[2],
): Promise<ActionResult> {
  if (amount !== undefined) throw badField('amount', '--to redirects whole refunds. It takes no --amount.')
  return doneTo(await redirectRefund(ctx, publicId, order), 'The refund goes there.')
}

/** `Left: 100 EUR. Sending it costs 1 EUR. The customer gets 99 EUR.` */
function sentenceOf({ asset: id, amount, cost }: RefundablePart): string {
  const asset = bookedAsset(id)
  const shown = (units: bigint): string =>
    asset ? `${formatAmount(units, asset)} ${asset.ticker}` : `${units} of ${id}`
  const sending = cost === 0n ? 'Sending it costs the customer nothing.' : `Sending it costs ${shown(cost)}.`
  const got =
    cost < amount ? `The customer gets ${shown(amount - cost)}.` : 'That is not worth sending: nothing is sent.'
  return `Left: ${shown(amount)}. ${sending} ${got}`
}

function amountIn(text: string, { from }: Transaction): bigint {
  try {
    return parseAmount(text, from.asset)
  } catch {
    throw badField('amount', `The amount must be a decimal of ${from.asset.ticker}, as in 12.50.`)
  }
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
  fields: [{ name: 'text', label: 'Note', isRequired: true, lines: 3, isFile: true }],
  byOperator: true,
  run: async (ctx, { publicId }, given, by) => {
    await addNote(ctx, publicId, { text: given.text('text') ?? '', operatorId: operatorOf(by).id })
    return { said: 'The note is saved.', json: { transaction_id: String(publicId), noted: true } }
  },
}

/** What an operator may do with an order, in the order of its page. */
export const orderActions: readonly Action<Transaction>[] = [release, refund, redirect, hold, cancel, note]
