import { Refusal } from '../lib/refusal.ts'
import { parseAmount } from '../money/amount.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import { cancelTransaction, holdTransaction, refundTransaction, releaseTransaction } from '../transactions/staff.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { type Answer, type Given, WrongUsage } from './command.ts'
import { idOf, idOfFlag } from './read-id.ts'
import { withActor } from './who.ts'

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

/** Gives back what is free of a transaction, or a part of it. */
export const refund = (given: Given): Promise<Answer> => {
  const [id, reason, text] = [idOf(given), reasonOf(given), given.flags.amount]
  return withActor(given, async (ctx, actor) => {
    if (text === undefined) return shown(await refundTransaction(ctx, id, { reason, actor }))
    const transaction = await readTransactionWhole(ctx, ctx.db, id)
    if (!transaction) throw new Refusal('NOT_FOUND', 'There is no such transaction.')
    const amount = parseAmount(text, transaction.from.asset)
    return shown(await refundTransaction(ctx, id, { reason, actor, amount }))
  })
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
