import type { Destination } from '../../rails/rail.ts'
import type { Db } from '../../platform/db/sql.ts'
import type { Ctx } from '../context.ts'
import { depositMethodOf, flowOf } from '../transactions/method.ts'
import { maskText } from '../customers/mask.ts'
import { destinationPlace } from '../settlement/payout.ts'
import type { Transaction } from '../transactions/transaction.ts'
import { isBound } from './giver.ts'

/**
 * Where the newest refund of a transaction went: an address, or a bank account. Null where money went back to a card or by a processor,
 * whose names for it mean nothing to people, before anything was sent back, and once the customer was erased. Masked where the partner's
 * facts are: somebody else may have paid.
 */
export async function refundedTo(ctx: Ctx, transaction: Transaction): Promise<Destination | null> {
  const { id, isErased = false, dataKey, personal } = transaction
  if (isErased || flowOf(depositMethodOf(transaction).category) === 'page') return null
  const [paid] = await newestPaid(ctx.db, id)
  if (!paid) return null
  const back = dataKey.open<Destination>(paid.destination, destinationPlace(paid.id))
  if (!isBound(personal)) return back
  const masked = (text: string) => (text === '' ? '' : maskText(text))
  return { ...back, address: masked(back.address), extraId: masked(back.extraId), holder: masked(back.holder) }
}

const newestPaid = (db: Db, transactionId: bigint): Promise<{ id: bigint; destination: Buffer }[]> =>
  db.sql`
    select id, destination from payouts
    where transaction_id = ${transactionId} and purpose = 'refund' and state = 'paid'
    order by number desc limit 1`
