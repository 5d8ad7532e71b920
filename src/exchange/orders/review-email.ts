import type { Ctx } from '../context.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { identityStateOf, waitsForIdentity } from './identity.ts'
import { writeAboutOrder } from '../transactions/order-email.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** The result of a review: the order continues, ends, needs the document again, or has to wait. */
export type ReviewEnd = 'passed' | 'refused' | 'again' | 'over'

/**
 * Sends the customer an e-mail when a manual review of their documents ends, in the caller's block. It says what to do, and never
 * why somebody was refused. Nothing is sent while the review continues.
 */
export async function tellOfReview(ctx: Ctx, db: Atomic, transaction: Transaction): Promise<void> {
  const end = await endOf(ctx, transaction)
  if (end === undefined) return
  await writeAboutOrder(ctx, db, transaction, {
    kind: end === 'refused' ? 'expired' : 'action_needed',
    text: ({ say }, values) => ({
      subject: say(`emails.review.${end}.subject`, values),
      paragraphs: [say(`emails.review.${end}.lead`, values), say(`emails.review.${end}.next`, values)],
    }),
  })
}

async function endOf(ctx: Ctx, transaction: Transaction): Promise<ReviewEnd | undefined> {
  if (transaction.status === 'failed') return 'refused'
  if (!waitsForIdentity(transaction)) return 'passed'
  const state = await identityStateOf(ctx, transaction)
  return state === 'again' || state === 'over' ? state : undefined
}
