import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { identityStateOf, waitsForIdentity } from './identity.ts'
import { writeAboutOrder } from '../transactions/order-email.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** What a customer is told of a review that has ended: the order goes on, ends, needs more to be shown, or has to wait. */
export type ReviewEnd = 'passed' | 'refused' | 'again' | 'over'

/**
 * Writes to the customer of an order that waited while a person looked at their documents, in the caller's block and with what came
 * of it: they were told that they may close the page. Says what to do, and never why somebody was refused. Nothing is written while
 * the review goes on.
 */
export async function tellOfReview(ctx: Ctx, db: Atomic, transaction: Transaction): Promise<void> {
  const end = await endOf(ctx, transaction)
  if (end === undefined) return
  await writeAboutOrder(ctx, db, transaction, (say, values) => ({
    subject: say(`emails.review.${end}.subject`, values),
    paragraphs: [say(`emails.review.${end}.lead`, values), say(`emails.review.${end}.next`, values)],
  }))
}

async function endOf(ctx: Ctx, transaction: Transaction): Promise<ReviewEnd | undefined> {
  if (transaction.status === 'failed') return 'refused'
  if (!waitsForIdentity(transaction)) return 'passed'
  const state = await identityStateOf(ctx, transaction)
  return state === 'again' || state === 'over' ? state : undefined
}
