import type { Ctx } from '../context.ts'
import { isBlocked } from '../customers/block.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Change } from '../transactions/advance.ts'
import { writeAboutOrder } from '../transactions/order-email.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { couldExchange, type Decision, type FundsPosition, type Limits } from './decide.ts'
import { type Funds, refundIn } from './position.ts'
import { refundCost } from './refund.ts'

/** What a customer is asked for whom an order waits: what to do with what came, or where to send money. */
export type Question = 'underpaid' | 'late' | 'wrong_asset' | 'refund_address' | 'payout_address'

/** A question, and the name under which the order remembers that its customer was emailed about it. */
export type OpenQuestion = { question: Question; name: string }

/** A decision, and what it was made of. */
type DecisionContext = { decision: Decision; position: FundsPosition; limits: Limits; funds: Funds }

/** What a decision leaves to its customer; undefined where there is nothing that they could do, and for institutions. */
export async function questionOf(
  db: Atomic,
  transaction: Transaction,
  decided: DecisionContext,
): Promise<OpenQuestion | undefined> {
  const { decision, position, funds } = decided
  const { to, details } = decision
  if (to !== 'on_hold' || transaction.kind === 'b2b' || transaction.personal.email === null) return undefined
  if (details === 'underpaid' || details === 'late' || details === 'wrong_asset') {
    return hasChoice(decided) ? { question: details, name: details } : undefined
  }
  if (details !== 'address_needed') return undefined
  const refund = refundIn(funds, 'address_needed')
  if (refund) return { question: 'refund_address', name: `refund_address:${refund.public_id}` }
  // Blocked customers cannot give another payout address: only staff can resume.
  const isOwed = position.payouts.returned && !position.isLost && !(await isBlocked(db, transaction.customerId))
  return isOwed ? { question: 'payout_address', name: 'payout_address' } : undefined
}

/** What is free can go back or be exchanged: there are amounts too small for either. */
const hasChoice = ({ decision: { to, details }, position, limits }: DecisionContext): boolean =>
  position.free.some(({ asset, amount }) => refundCost(asset) < amount) ||
  couldExchange({ ...position, status: to, details }, limits)

/** Whether a question is a new one: the order has waited for something else until now, or for nothing. */
export const isNewQuestion = (
  { status, statusDetails, personal }: Transaction,
  { details }: Decision,
  { name }: OpenQuestion,
): boolean => status !== 'on_hold' || statusDetails !== details || personal.asked !== name

/** The change that records a transaction's open question, or clears it if there is none. */
export function questionChange({ personal }: Transaction, asked: OpenQuestion | undefined): Pick<Change, 'personal'> {
  const { asked: before, ...rest } = personal
  if (asked) return { personal: { ...rest, asked: asked.name } }
  return before === undefined ? {} : { personal: rest }
}

/**
 * Emails a customer whose order has come to wait for them, in the caller's block: the page said that they may close it. Says
 * what is asked, and nothing of amounts, addresses or people.
 */
export async function emailQuestion(ctx: Ctx, db: Atomic, transaction: Transaction, question: Question): Promise<void> {
  await writeAboutOrder(ctx, db, transaction, (say, values) => ({
    subject: say('emails.question.subject', values),
    paragraphs: [say(`emails.question.${question}`, values), say('emails.question.next')],
  }))
}
