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
import { type Answer, type Given, WrongUsage } from './command.ts'
import { idOf, idOfFlag } from './read-id.ts'
import { contentsOf, withActor } from './who.ts'

/** Stops a transaction for a person. */
export const hold = (given: Given): Promise<Answer> => {
  const [id, reason] = [idOf(given), reasonOf(given)]
  return withActor(given, async (ctx, actor) => shown(await holdTransaction(ctx, id, { reason, actor })))
}

/** Lets a held transaction go on. */
export const release = (given: Given): Promise<Answer> => {
  const [id, reason, payTo] = [idOf(given), reasonOf(given), idOfFlag(given, 'pay-to')]
  return withActor(given, async (ctx, actor) => {
    const order = { reason, actor, ...(payTo === undefined ? {} : { payTo }) }
    return shown(await releaseTransaction(ctx, id, order))
  })
}

/** Gives back what is free of a transaction, or a part of it; or sends what could not go back to another account. */
export const refund = async (given: Given): Promise<Answer> => {
  const [id, reason, text] = [idOf(given), reasonOf(given), given.flags.amount]
  const to = await wayOf(given)
  if (to) {
    if (text !== undefined) throw new WrongUsage('--to sends what is on its way back, all of it: it takes no --amount.')
    return withActor(given, async (ctx, actor) => shown(await redirectRefund(ctx, id, { reason, actor, to })))
  }
  return withActor(given, async (ctx, actor) => {
    if (text === undefined) return shown(await refundTransaction(ctx, id, { reason, actor }))
    const transaction = await readTransactionWhole(ctx, ctx.db, id)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const amount = parseAmount(text, transaction.from.asset)
    return shown(await refundTransaction(ctx, id, { reason, actor, amount }))
  })
}

/**
 * Where `--to` says that money goes, by a file that only its writer can read: the address or account, below it the memo, tag or BIC
 * (an empty line where there is none), below it the account's holder. Refuses any other file.
 */
export async function wayOf({ flags }: Given): Promise<RefundDestination | undefined> {
  if (flags.to === undefined) return undefined
  const lines = (await contentsOf(flags.to, '--to')).split('\n').map((line) => line.trim())
  const [address = '', extraId = '', holder = ''] = lines
  if (address === '' || lines.length > 3) {
    throw new WrongUsage('--to takes a file of up to three lines: the account or address, its BIC or memo, its holder.')
  }
  return { address, extraId, holder }
}

/** Ends a transaction in which no money is. */
export const cancel = (given: Given): Promise<Answer> => {
  const [id, reason] = [idOf(given), reasonOf(given)]
  return withActor(given, async (ctx, actor) => shown(await cancelTransaction(ctx, id, { reason, actor })))
}

/** Why, in a few words. Refuses none. */
export function reasonOf({ flags }: Given): string {
  const reason = (flags.reason ?? '').trim()
  if (reason === '') throw new WrongUsage('--reason says why, in a few words.')
  return reason
}

/** Where a transaction stands now. `transaction show` tells the rest. */
export const shown = ({ publicId, status, statusDetails, history }: Transaction): Answer => ({
  json: {
    transaction_id: String(publicId),
    status,
    status_details: statusDetails,
    reason: history.at(-1)?.reason ?? null,
  },
})
