import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { instruct, instructedMethods } from '../settlement/instruction.ts'
import { after } from '../../platform/lib/clock.ts'
import type { PayTo } from '../../rails/rail.ts'
import { deadlineDue, deadlineKey } from '../transactions/deadline.ts'
import { chooseDepositRail, depositMethodOf, flowOf, methodOf } from '../transactions/method.ts'
import { payDeadlineMs, validityOf } from '../transactions/policy.ts'
import type { Personal, Transaction } from '../transactions/transaction.ts'

/** Fixes, in the caller's block, how a complete transaction is paid, and until when. */
export async function awaitDeposit(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
): Promise<Pick<Transaction, 'personal' | 'expiresAt'>> {
  const method = depositMethodOf(transaction)
  const { payTo, reference } = await instruct(ctx, db, {
    transactionId: transaction.id,
    rail: chooseDepositRail(ctx, transaction),
    method,
    asset: transaction.from.asset.id,
    amount: transaction.expectedFrom,
  })
  const expiresAt = payableUntil(ctx, await methodsInstructed(db, transaction), transaction)
  if (expiresAt < transaction.expiresAt) {
    const key = deadlineKey(transaction.id, transaction.quoteNumber)
    ctx.queue.enqueue(db, [{ kind: deadlineDue, key, runAt: expiresAt }])
  }
  const depositAddress = payTo.kind === 'address' ? { address: payTo.address, extraId: payTo.extraId } : null
  const account = transaction.kind === 'b2b' ? accountIn(payTo, reference) : {}
  return { personal: { ...transaction.personal, depositAddress, ...account }, expiresAt }
}

/** Ends an order that got extra time for its identity check when the time to pay is over. */
export const endEarlier = (
  { queue }: Ctx,
  db: Atomic,
  { id, expiresAt }: Pick<Transaction, 'id' | 'expiresAt'>,
): void => queue.enqueue(db, [{ kind: deadlineDue, key: `${id}:identity`, runAt: expiresAt }])

/** A method for which the customer was given payment details, and when. */
export type InstructedMethod = { method: string; created_at: Date }

/** The methods for which the customer of a transaction that awaits its deposit was given payment details, oldest first. */
export const methodsInstructed = async (
  db: Db,
  { id, status }: Pick<Transaction, 'id' | 'status'>,
): Promise<InstructedMethod[]> => (status === 'waiting_for_deposit' ? instructedMethods(db, id) : [])

/**
 * Until when a transaction can be paid by its method. The time for a flow (page, transfer, coin) starts when the customer first got
 * payment details for it; switching back and forth does not restart it.
 */
export function payableUntil(
  { clock, policies }: Pick<Ctx, 'clock' | 'policies'>,
  instructed: InstructedMethod[],
  transaction: Pick<Transaction, 'from' | 'depositMethod' | 'partnerId' | 'kind'>,
): Date {
  const { category } = depositMethodOf(transaction)
  const first = instructed.find(
    ({ method }) => flowOf(methodOf(transaction.from, method).category) === flowOf(category),
  )
  const from = first?.created_at ?? clock.now()
  const { rules } = validityOf({ policies }, transaction, from)
  return after(from, payDeadlineMs(rules, { category, kind: transaction.kind }, from))
}

/** A customer sees our account on the checkout page; an institution only has the record. */
function accountIn(payTo: PayTo, reference: string): Pick<Personal, 'depositAccount'> {
  if (payTo.kind !== 'account') return {}
  const { holder, account, bic, bank } = payTo
  return { depositAccount: { holder, account, bic, bank, reference } }
}
