import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { instruct, instructedMethods } from '../settlement/deposit.ts'
import { after } from '../../platform/lib/clock.ts'
import type { PayTo } from '../../rails/rail.ts'
import { deadlineDue, deadlineKey } from '../transactions/deadline.ts'
import { depositMethodOf, depositRailOf, flowOf, methodOf } from '../transactions/method.ts'
import { payDeadlineMs } from '../transactions/policy.ts'
import type { Personal, Transaction } from '../transactions/transaction.ts'

/** Fixes, in the caller's block, how a transaction of which everything is known is paid, and until when. */
export async function awaitDeposit(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
): Promise<Pick<Transaction, 'personal' | 'expiresAt'>> {
  const method = depositMethodOf(transaction)
  const { payTo, reference } = await instruct(ctx, db, {
    transactionId: transaction.id,
    rail: depositRailOf(ctx, transaction),
    method,
    asset: transaction.from.asset.id,
    amount: transaction.expectedFrom,
  })
  const expiresAt = payableUntil(ctx, await toldMethods(db, transaction), transaction)
  if (expiresAt < transaction.expiresAt) {
    const key = deadlineKey(transaction.id, transaction.quoteNumber)
    ctx.queue.enqueue(db, [{ kind: deadlineDue, key, runAt: expiresAt }])
  }
  const depositAddress = payTo.kind === 'address' ? { address: payTo.address, extraId: payTo.extraId } : null
  const account = transaction.kind === 'b2b' ? accountIn(payTo, reference) : {}
  return { personal: { ...transaction.personal, depositAddress, ...account }, expiresAt }
}

/** A wait for the identity was given more time than there is to pay: the order ends when that is over, not later. */
export const endEarlier = (
  { queue }: Ctx,
  db: Atomic,
  { id, expiresAt }: Pick<Transaction, 'id' | 'expiresAt'>,
): void => queue.enqueue(db, [{ kind: deadlineDue, key: `${id}:identity`, runAt: expiresAt }])

/** A method by which a customer was told to pay, and when. */
export type ToldMethod = { method: string; created_at: Date }

/** How the customer of a transaction that waits for its deposit was told to pay until now, in order. */
export const toldMethods = async (db: Db, { id, status }: Pick<Transaction, 'id' | 'status'>): Promise<ToldMethod[]> =>
  status === 'waiting_for_deposit' ? instructedMethods(db, id) : []

/**
 * Until when a transaction can be paid by its method. The time of a flow (page, transfer, coin) runs from when its customer was
 * first told to pay so: another way in between does not begin it anew.
 */
export function payableUntil(
  { clock, config }: Pick<Ctx, 'clock' | 'config'>,
  told: ToldMethod[],
  transaction: Pick<Transaction, 'from' | 'depositMethod'>,
): Date {
  const { category } = depositMethodOf(transaction)
  const first = told.find(({ method }) => flowOf(methodOf(transaction.from, method).category) === flowOf(category))
  const from = first?.created_at ?? clock.now()
  return after(from, payDeadlineMs(config, category, from))
}

/** A customer is told our account on the checkout's page; an institution has the record only. */
function accountIn(payTo: PayTo, reference: string): Pick<Personal, 'depositAccount'> {
  if (payTo.kind !== 'account') return {}
  const { holder, account, bic, bank } = payTo
  return { depositAccount: { holder, account, bic, bank, reference } }
}
