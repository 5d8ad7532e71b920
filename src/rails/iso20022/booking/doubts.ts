import type { Db } from '../../../platform/db/sql.ts'
import type { MoneyDoubt } from '../../rail.ts'
import { bookingOf, paymentOf } from './events.ts'

/** Which bookings a bank may have reported twice, as far as its statements have not said yet that both were booked; by the payment. */
export async function doubtsOf(db: Db, rail: string, payments: readonly string[]): Promise<Map<string, MoneyDoubt>> {
  const ids = payments.flatMap((payment) => bookingOf(payment) ?? [])
  const doubts = new Map<string, MoneyDoubt>()
  for (const { id, of, waiting, is_stated: isStated } of await doubtedBookings(db, rail, ids)) {
    const before = doubts.get(paymentOf(id)) ?? { of: [], waiting: [], isStated }
    doubts.set(paymentOf(id), {
      of: [...before.of, paymentOf(of)],
      waiting: [...new Set([...before.waiting, ...waiting.map(paymentOf)])],
      isStated,
    })
  }
  return doubts
}

/** Pairs of bookings that may be one, both ways round, with those of the two that no statement has: lumps, too, that fit no more. */
const doubtedBookings = (
  db: Db,
  rail: string,
  ids: readonly bigint[],
): Promise<{ id: bigint; of: bigint; waiting: bigint[]; is_stated: boolean }[]> =>
  db.sql`
    select one.id, other.id as of, array(
        select waiting.id from iso20022_bookings as waiting
        where waiting.id in (one.id, other.id) and (waiting.statement_id is null or waiting.gap = 'lump' and exists (
          select from iso20022_gaps as gap where gap.statement_id = waiting.statement_id and moved <> lumps)) order by waiting.id) as waiting,
      exists (select 1 from iso20022_statements as statement
        where statement.rail = one.rail and statement.account = one.account and statement.asset = one.asset) as is_stated
    from iso20022_bookings as one
    join iso20022_bookings as other on other.rail = one.rail and (other.id = one.doubts_id or other.doubts_id = one.id)
    where one.rail = ${rail} and one.id = any(${[...ids]}::bigint[]) and one.state = 'booked' and other.state = 'booked'
      and (one.statement_id is null or other.statement_id is null or one.gap = 'lump' or other.gap = 'lump')
    order by one.id, other.id`

/** Bookings that were in doubt, were explained by nothing for that, and are not in doubt any more: what they may be is in a statement, or what was booked of a gap that still fits, or was withdrawn. */
export const endedDoubts = (db: Db, ids: readonly bigint[]): Promise<{ id: bigint }[]> =>
  db.sql`
    select one.id from iso20022_bookings as one left join iso20022_bookings as other on other.id = one.doubts_id
    where one.id = any(${[...ids]}::bigint[]) and one.doubt = 'double' and one.state = 'booked' and one.kind in ('deposit', 'unexplained')
      and (other.id is null or other.state <> 'booked' or other.statement_id is not null and not (other.gap = 'lump' and exists (
        select from iso20022_gaps as gap where gap.statement_id = other.statement_id and moved <> lumps)))`
