import type { Ctx } from '../context.ts'
import { isBlocked } from '../customers/block.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { lossOf } from './deposit.ts'
import type { Refund } from './refund.ts'
import type { Change } from '../transactions/advance.ts'
import { type Bounds, decide, type Decision, type Standing } from './decide.ts'
import type { MoneyOf } from './money-of.ts'
import { writeAboutOrder } from '../transactions/order-email.ts'
import { refundCost } from './refund-cost.ts'
import type { Transaction } from '../transactions/transaction.ts'

/** What a customer is asked for whom an order waits: what becomes of what came, or where money shall go. */
export type Question = 'underpaid' | 'late' | 'wrong_asset' | 'refund_address' | 'payout_address'

/** A question, and the name under which the order remembers that its customer was written to about it. */
export type OpenQuestion = { question: Question; name: string }

/** The first refund of a transaction that waits for an address, unless its money was taken back meanwhile. */
export const addressAsked = ({ refunds, deposits }: Pick<MoneyOf, 'refunds' | 'deposits'>): Refund | undefined =>
  refunds.find(
    ({ state, deposit_id: of }) =>
      state === 'address_needed' && deposits.every((deposit) => deposit.id !== of || lossOf(deposit) === 0n),
  )

/** What was decided, of what stood. */
type Decided = { decision: Decision; standing: Standing; bounds: Bounds; money: MoneyOf }

/** What a decision leaves to its customer; undefined where there is nothing that they could do, and for institutions. */
export async function askedOf(
  db: Atomic,
  transaction: Transaction,
  decided: Decided,
): Promise<OpenQuestion | undefined> {
  const { decision, standing, money } = decided
  const { to, details } = decision
  if (to !== 'on_hold' || transaction.kind === 'b2b' || transaction.personal.email === null) return undefined
  if (details === 'underpaid' || details === 'late' || details === 'wrong_asset') {
    return hasChoice(decided) ? { question: details, name: details } : undefined
  }
  if (details !== 'address_needed') return undefined
  const refund = addressAsked(money)
  if (refund) return { question: 'refund_address', name: `refund_address:${refund.public_id}` }
  // Another place to be paid is taken from nobody who is blocked: only a person can go on then.
  const isOwed = standing.payouts.bounced && !standing.isLost && !(await isBlocked(db, transaction.customerId))
  return isOwed ? { question: 'payout_address', name: 'payout_address' } : undefined
}

/** What is free can go back or be exchanged: there are amounts too small for either. */
const hasChoice = ({ decision: { to, details }, standing, bounds }: Decided): boolean =>
  standing.free.some(({ asset, amount }) => refundCost(asset) < amount) ||
  decide({ ...standing, status: to, details }, bounds, 'accept').exchange !== undefined

/** Whether a question is a new one: the order has waited for something else until now, or for nobody. */
export const isAskedAnew = (
  { status, statusDetails, personal }: Transaction,
  { details }: Decision,
  { name }: OpenQuestion,
): boolean => status !== 'on_hold' || statusDetails !== details || personal.asked !== name

/** What a transaction remembers of a question, or that there is none any more. */
export function askedChange({ personal }: Transaction, asked: OpenQuestion | undefined): Pick<Change, 'personal'> {
  const { asked: before, ...rest } = personal
  if (asked) return { personal: { ...rest, asked: asked.name } }
  return before === undefined ? {} : { personal: rest }
}

/**
 * Writes to customers whose orders have come to wait for them, in the caller's block that moves these orders there: they were told
 * that they may close the page. Says what is asked, and nothing of amounts, addresses or persons.
 */
export async function tellOfQuestion(
  ctx: Ctx,
  db: Atomic,
  transaction: Transaction,
  question: Question,
): Promise<void> {
  await writeAboutOrder(ctx, db, transaction, (say, values) => ({
    subject: say('emails.question.subject', values),
    paragraphs: [say(`emails.question.${question}`, values), say('emails.question.next')],
  }))
}
