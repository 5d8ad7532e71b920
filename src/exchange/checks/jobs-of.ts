import type { Ctx } from '../context.ts'
import { railEventReceived } from '../settlement/rail-event.ts'
import { jobsNamed, type SeenJob } from '../../platform/jobs/inspect.ts'
import { mailDue } from '../mail/email.ts'
import { payoutDue } from '../settlement/payout.ts'
import { preparedPaymentDue } from '../settlement/prepared-payment.ts'
import { refundDue } from '../settlement/refund.ts'
import * as queries from './jobs-of.sql.ts'
import type { Transaction } from '../transactions/transaction.ts'

const kinds = {
  railEvent: railEventReceived,
  payout: payoutDue,
  plan: preparedPaymentDue,
  refund: refundDue,
  mail: mailDue,
}

/** The jobs about one transaction that are still to be done: its deadline, its facts, payouts, plans, refunds and letters. */
export async function jobsOf({ db }: Pick<Ctx, 'db'>, { id }: Pick<Transaction, 'id'>): Promise<SeenJob[]> {
  const work = await queries.workFor(db, id)
  const deadline = { kind: 'transaction.deadline', key: String(id) }
  return jobsNamed(db, [deadline, ...work.map((one) => ({ kind: kinds[one.what], key: String(one.id) }))])
}
