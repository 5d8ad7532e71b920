import type { Ctx } from '../context.ts'
import { isBlocked } from '../customers/block.ts'
import { after } from '../../platform/lib/clock.ts'
import type { Handler } from '../../platform/jobs/job.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import type { Change } from '../transactions/advance.ts'
import { readEvenErased } from '../transactions/load.ts'
import { type EmailText, writeAboutOrder } from '../transactions/order-email.ts'
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
 * Emails a customer whose order has come to wait for them, in the caller's block: the page said that they may close it. Says what
 * is asked and until when, and nothing of amounts, addresses or people. One reminder follows if nothing has happened by then.
 */
export async function emailQuestion(ctx: Ctx, db: Atomic, transaction: Transaction, question: Question): Promise<void> {
  await writeAboutOrder(ctx, db, transaction, { kind: 'action_needed', text: questionText(ctx, transaction, question) })
  const { personal, publicId, statusChanges } = transaction
  if (personal.email === null) return
  const key = `${publicId}:${statusChanges}`
  ctx.queue.enqueue(db, [{ kind: reminderDue, key, runAt: remindAt(ctx.clock.now(), deadlineOf(ctx, transaction)) }])
}

/** The job that reminds a customer of an open question. Its key is the order number and how often its status had changed. */
export const reminderDue = 'question.reminder'

const longestWaitMs = 2 * 86_400_000

/** After half of the time that is left, and after two days at the latest. */
function remindAt(now: Date, deadline: Date | undefined): Date {
  const half = deadline === undefined ? longestWaitMs : (deadline.getTime() - now.getTime()) / 2
  return after(now, Math.min(half, longestWaitMs))
}

/** Until when the missing rest can be sent; other questions stay open. */
function deadlineOf(ctx: Pick<Ctx, 'clock'>, { statusDetails, expiresAt }: Transaction): Date | undefined {
  return statusDetails === 'underpaid' && expiresAt > ctx.clock.now() ? expiresAt : undefined
}

/** Sends the reminders that are due to customers whose order still waits for the same answer. */
export const remindOfQuestions = (ctx: Ctx): Handler => ({
  batch: 16,
  concurrency: 1,
  run: (jobs) =>
    ctx.queue.finish(jobs, async (db, held) => {
      for (const { key } of held) {
        const [publicId = '', statusChanges = ''] = key.split(':')
        const transaction = await readReminded(ctx, db, BigInt(publicId))
        const question = transaction && openQuestionOf(transaction)
        if (!question || String(transaction.statusChanges) !== statusChanges) continue
        const text = questionText(ctx, transaction, question)
        await writeAboutOrder(ctx, db, transaction, {
          kind: 'reminder',
          text: (language, values) => ({
            ...text(language, values),
            subject: language.say('emails.question.reminder', values),
          }),
        })
      }
    }),
})

/** Nobody is reminded whose data has been erased. */
async function readReminded(ctx: Ctx, db: Atomic, publicId: bigint): Promise<Transaction | undefined> {
  const transaction = await readEvenErased(ctx, db, publicId)
  return transaction?.isErased ? undefined : transaction
}

const questions: readonly Question[] = ['underpaid', 'late', 'wrong_asset', 'refund_address', 'payout_address']

function openQuestionOf({ status, personal: { asked } }: Transaction): Question | undefined {
  return status === 'on_hold' ? questions.find((question) => question === asked?.split(':')[0]) : undefined
}

function questionText(ctx: Pick<Ctx, 'clock'>, transaction: Transaction, question: Question): EmailText {
  const deadline = deadlineOf(ctx, transaction)
  return ({ say, moment }, values) => ({
    subject: say('emails.question.subject', values),
    paragraphs: [
      say(`emails.question.${question}`, values),
      ...(deadline === undefined ? [] : [say('emails.question.deadline', { moment: moment(deadline) })]),
      say('emails.question.next'),
    ],
  })
}
