import type { Ctx } from '../context.ts'
import type { Partner } from '../partners/partner.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { amend } from '../transactions/advance.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { keepQuotes } from '../transactions/quote-stamp.ts'
import { type MatchedEvent, reportedMoney } from './rail-event.ts'
import { reprice } from './reprice.ts'

/** A rail event, and the transaction that it is about, locked. */
type Context = { event: MatchedEvent; transaction: Transaction; partner: Partner | undefined }

/**
 * Shows that money is on its way and not yet final, or no longer. Derived from all events, in whatever order they came. Money that is
 * seen when its price is over is priced now, as it arrives: what it is worth does not wait until it is final.
 */
export async function showConfirming(ctx: Ctx, db: Atomic, { event, transaction, partner }: Context): Promise<void> {
  if (transaction.status !== 'waiting_for_deposit') return
  const { arriving } = await reportedMoney(db, transaction.id)
  const statusDetails = arriving ? 'confirming' : null
  const isLate = event.kind === 'deposit_seen' && arriving && event.arrived_at > transaction.quoteExpiresAt
  const method = event.method ?? transaction.depositMethod
  const repriced = isLate && partner ? reprice(ctx, partner, transaction, { method }) : undefined
  if (repriced?.withinSlippage) {
    keepQuotes(ctx, db, [repriced.transaction])
    const { quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod } = repriced.transaction
    amend(ctx, db, transaction, { statusDetails, quote, quoteNumber, quoteExpiresAt, expectedTo, depositMethod })
  } else if (statusDetails !== transaction.statusDetails) amend(ctx, db, transaction, { statusDetails })
}
