import type { Ctx } from '../context.ts'
import { lowerAvailable } from '../ledger/balance.ts'
import { post } from '../ledger/post.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { lockTransactions } from '../transactions/load.ts'
import { partnerOf } from '../transactions/partner-of.ts'
import { returnWithdrawnEntry } from './entries.ts'
import { type KeyedPayout, payouts, payoutsByKey } from './payout.ts'
import { refunds } from './refund.ts'
import { settleNow } from './settle.ts'
import { transition } from './transition.ts'

/** A payout that a rail has reported as returned: the key of its payment, and how much came back. */
export type ReportedReturn = { rail: string; key: string; amount: bigint }

const find = async (db: Db, { rail, key }: Omit<ReportedReturn, 'amount'>): Promise<KeyedPayout | undefined> =>
  (await payoutsByKey(db, [{ rail, reference: key }])).get(`${rail} ${key}`)

/** Why the return of a payout cannot be taken back; undefined: it can. What is owed again must be owed still. */
export async function whyReturnStays(db: Db, reported: Omit<ReportedReturn, 'amount'>): Promise<string | undefined> {
  const payout = await find(db, reported)
  if (payout?.state !== 'failed') return 'No payout is booked as returned by it.'
  const { id, transaction_id: transactionId, refund_id: refundId } = payout
  const [since] = await db.sql<{ is_sent_again: boolean; is_undone: boolean }>`
    select exists (
        select from payouts as later where later.id > ${id} and later.state <> 'cancelled'
          and (later.refund_id = ${refundId} or ${refundId}::bigint is null and later.transaction_id = ${transactionId} and later.purpose = 'payout')
      ) or exists (select from refunds where id = ${refundId} and state <> 'failed') as is_sent_again,
      exists (
        select from entries as back join entries as undone using (transaction_id) where back.transaction_id = ${transactionId}
          and back.kind = 'payout_returned' and back.ref = ${id} and undone.kind = 'exchange_mirrored' and undone.id > back.id) as is_undone`
  if (since?.is_sent_again) return 'It was sent again since. Hold its order, and ask the bank for a correction.'
  return since?.is_undone ? 'What it paid out was reversed since. Ask the bank for a correction.' : undefined
}

/** A payout had not come back after all: it is paid, and owed no more. */
export async function withdrawReturn(ctx: Ctx, db: Atomic, reported: ReportedReturn): Promise<void> {
  const payout = await find(db, reported)
  if (!payout) throw new Error(`The payout ${reported.key} is gone.`)
  const { id, asset, place, transaction_id: transactionId, refund_id: refundId } = payout
  const transaction =
    transactionId === null ? undefined : (await lockTransactions(ctx, db, [transactionId])).get(transactionId)
  const booked = returnWithdrawnEntry(transaction, { id, asset, amount: reported.amount }, place, ctx.clock.now())
  transition(db, payouts, [{ id, reason: null }], 'failed', 'paid')
  if (refundId !== null) transition(db, refunds, [{ id: refundId }], 'failed', 'paid')
  await post(db, ctx, [booked])
  lowerAvailable(db, [booked])
  if (!transaction) return
  const kind = refundId === null ? 'payout_return_withdrawn' : 'refund_return_withdrawn'
  await settleNow(ctx, db, { transaction, partner: await partnerOf(ctx, transaction) }, { kind, id })
}
