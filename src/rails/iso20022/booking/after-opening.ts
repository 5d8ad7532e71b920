import type { Atomic } from '../../../platform/db/sql.ts'
import type { Bank, BankReports } from '../bank.ts'
import { bankOpening } from '../opening.ts'
import type { IdentifiedBooking } from './identify.ts'
import type { StatementScope } from './queries.ts'

/**
 * What is notified of days from the first statement of an account on, where its opening balance is booked: what was booked before is in that.
 * Should a statement date it later, it is booked then.
 */
export async function afterOpening(
  bank: Bank,
  db: Atomic,
  { scope, news }: { scope: StatementScope; news: IdentifiedBooking[] },
  reports: BankReports,
): Promise<IdentifiedBooking[]> {
  const first = await bankOpening(db, scope)
  const isAfter = ({ stated: { bookedOn, valueOn } }: IdentifiedBooking): boolean =>
    first === undefined || (bookedOn || valueOn || first.closing_on) >= first.closing_on
  const after = news.filter(isAfter)
  if (after.length === news.length || !(await reports.isOpened(db, scope))) return news
  bank.log.warn({ rail: bank.name, count: news.length - after.length }, 'What was notified is in the opening balance.')
  return after
}
