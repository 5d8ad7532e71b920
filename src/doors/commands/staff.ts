import { Refusal } from '../../platform/lib/refusal.ts'
import { parseAmount } from '../../platform/money/amount.ts'
import { readTransactionWhole } from '../../exchange/transactions/load.ts'
import {
  cancelTransaction,
  holdTransaction,
  redirectRefund,
  refundTransaction,
  releaseTransaction,
} from '../../exchange/operations/staff.ts'
import type { RefundDestination } from '../../exchange/settlement/redirect-refund.ts'
import type { Transaction } from '../../exchange/transactions/transaction.ts'
import { type Answer, type Invocation, WrongUsage } from './command.ts'
import { idOf, idOfFlag } from './read-id.ts'
import { contentsOf, withActor } from './who.ts'

/** Puts a transaction on hold for review. */
export const hold = (input: Invocation): Promise<Answer> => {
  const [id, reason] = [idOf(input), reasonOf(input)]
  return withActor(input, 'orders.hold', async (ctx, actor) => shown(await holdTransaction(ctx, id, { reason, actor })))
}

/** Resumes a transaction that is on hold. */
export const release = (input: Invocation): Promise<Answer> => {
  const [id, reason, payTo] = [idOf(input), reasonOf(input), idOfFlag(input, 'pay-to')]
  return withActor(input, 'orders.release', async (ctx, actor) => {
    const order = { reason, actor, ...(payTo === undefined ? {} : { payTo }) }
    return shown(await releaseTransaction(ctx, id, order))
  })
}

/** Refunds a transaction's available funds or a part of them; or redirects a refund that failed to another account. */
export const refund = async (input: Invocation): Promise<Answer> => {
  const [id, reason, text] = [idOf(input), reasonOf(input), input.flags.amount]
  const to = await destinationOf(input)
  if (to) {
    if (text !== undefined) throw new WrongUsage('--to redirects whole refunds. It takes no --amount.')
    return withActor(input, 'orders.refund', async (ctx, actor) =>
      shown(await redirectRefund(ctx, id, { reason, actor, to })),
    )
  }
  return withActor(input, 'orders.refund', async (ctx, actor) => {
    if (text === undefined) return shown(await refundTransaction(ctx, id, { reason, actor }))
    const transaction = await readTransactionWhole(ctx, ctx.db, id)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const amount = parseAmount(text, transaction.from.asset)
    return shown(await refundTransaction(ctx, id, { reason, actor, amount }))
  })
}

/** Reads the file of `--to`: a line each for address or account, memo, tag or BIC (may be empty), and the account's holder. */
export async function destinationOf({ flags }: Invocation): Promise<RefundDestination | undefined> {
  if (flags.to === undefined) return undefined
  const lines = (await contentsOf(flags.to, '--to')).split('\n').map((line) => line.trim())
  const [address = '', extraId = '', holder = ''] = lines
  if (address === '' || lines.length > 3) {
    throw new WrongUsage('--to needs a file of up to three lines: account or address, BIC or memo, account holder.')
  }
  return { address, extraId, holder }
}

/** Cancels a transaction that has not been paid. */
export const cancel = (input: Invocation): Promise<Answer> => {
  const [id, reason] = [idOf(input), reasonOf(input)]
  return withActor(input, 'orders.cancel', async (ctx, actor) =>
    shown(await cancelTransaction(ctx, id, { reason, actor })),
  )
}

/** Reads `--reason`, which must not be empty. */
export function reasonOf({ flags }: Invocation): string {
  const reason = (flags.reason ?? '').trim()
  if (reason === '') throw new WrongUsage('--reason must not be empty.')
  return reason
}

/** The status alone; `transaction show` has the rest. */
export const shown = ({ publicId, status, statusDetails, history }: Transaction): Answer => ({
  json: {
    transaction_id: String(publicId),
    status,
    status_details: statusDetails,
    reason: history.at(-1)?.reason ?? null,
  },
})
