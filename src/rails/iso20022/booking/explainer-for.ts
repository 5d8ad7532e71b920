import type { Atomic } from '../../../platform/db/sql.ts'
import type { Bank } from '../bank.ts'
import { lockPayments, type NamedPayment } from '../paying/queries.ts'
import type { ExplainerWithDeposits } from './book-news.ts'
import { newExplainer, type Reversible } from './explain.ts'
import { comparedBooking, type IdentifiedBooking } from './identify.ts'
import * as queries from './queries.ts'

/** What new bookings are about: the payments that they name, and the deposits that they may reverse. */
export async function explainerFor(
  bank: Bank,
  db: Atomic,
  scope: queries.StatementScope,
  news: IdentifiedBooking[],
): Promise<ExplainerWithDeposits & { payments: readonly NamedPayment[] }> {
  const stated = news.map((one) => one.stated)
  const payments = await lockPayments(db, bank.name, {
    keys: stated.map(({ endToEndId }) => endToEndId).filter((key) => key !== ''),
    messages: stated.map(({ messageId }) => messageId).filter((id) => id !== ''),
    parts: stated.map(({ paymentInformationId }) => paymentInformationId).filter((id) => id !== ''),
  })
  const back = stated.filter(({ direction, isCharge }) => direction === 'out' && !isCharge)
  const deposits: Reversible[] =
    back.length === 0
      ? []
      : await queries.reversibleDeposits(db, scope, {
          references: back.map(({ reference }) => reference),
          endToEnds: back.flatMap((one) => comparedBooking(bank, one).endToEnd ?? []),
        })
  return { of: newExplainer(payments, deposits), deposits, payments }
}
