import type { Ctx } from '../context.ts'
import { factReceived } from '../deposits/fact.ts'
import { jobsNamed, type SeenJob } from '../jobs/look.ts'
import { mailDue } from '../mail/mail.ts'
import { payoutDue } from '../payouts/order.ts'
import { planDue } from '../payouts/plan.ts'
import { refundDue } from '../payouts/refund.ts'
import * as queries from './looking/queries.ts'
import type { Transaction } from './transaction.ts'

const kinds = { fact: factReceived, payout: payoutDue, plan: planDue, refund: refundDue, mail: mailDue }

/** The jobs about one transaction that are still to be done: its deadline, its facts, payouts, plans, refunds and letters. */
export async function jobsOf({ db }: Pick<Ctx, 'db'>, { id }: Pick<Transaction, 'id'>): Promise<SeenJob[]> {
  const work = await queries.workFor(db, id)
  const deadline = { kind: 'transaction.deadline', key: String(id) }
  return jobsNamed(db, [deadline, ...work.map((one) => ({ kind: kinds[one.what], key: String(one.id) }))])
}
