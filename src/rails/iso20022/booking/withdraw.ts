import type { Atomic, Db } from '../../../platform/db/sql.ts'
import type { RailEvent } from '../../rail.ts'
import { bookingOf, eventOf, paymentOf } from './events.ts'
import type { StoredBooking } from './queries.ts'

/** A payment of ours that a booking carried out. */
type Carried = { key: string; asset: string; amount: bigint }

/** A booking that a message reported, and what was booked for it besides. */
export type NotifiedBooking = StoredBooking & {
  file_id: bigint
  carried: Carried[]
  /** The deposit that it reversed, unless that was withdrawn as a booking itself. */
  deposit: Pick<StoredBooking, 'id' | 'reference' | 'asset'> | undefined
}

/** What follows from withdrawing a booking: what the rail reports, and what it has not charged after all. */
export type Withdrawal = {
  events: (RailEvent & { rail: string })[]
  uncharged: { place: string; asset: string; amount: bigint } | undefined
}

const key = /^booking (bk_\d+)$/

/** The booking that a finding about it names; undefined where it is about something else. */
export const bookingOfFinding = (text: string): bigint | undefined => bookingOf(key.exec(text)?.[1] ?? '')

export async function notifiedBooking(db: Db, rail: string, id: bigint): Promise<NotifiedBooking | undefined> {
  const [booking] = await db.sql<StoredBooking & { file_id: bigint }>`
    select * from iso20022_bookings where rail = ${rail} and id = ${id} for update`
  if (!booking) return undefined
  const carried = await db.sql<Carried>`
    select key, asset, amount from iso20022_payments where rail = ${rail} and debited_by = ${id} order by key`
  const [deposit] = await db.sql<Pick<StoredBooking, 'id' | 'reference' | 'asset'>>`
    select id, reference, asset from iso20022_bookings where id = ${booking.reverses_id} and state = 'booked' for update`
  return { ...booking, carried, deposit }
}

/** Why a booking cannot be withdrawn; undefined: it can. */
export function whyNotWithdrawn(booking: NotifiedBooking | undefined): string | undefined {
  // What lies before a statement is no booking of it.
  if (booking?.state !== 'booked' || (booking.statement_id !== null && booking.gap === null))
    return 'No such booking waits for its statement.'
  return booking.kind === 'deposit' && booking.remainder <= 0n ? 'All of it was reversed before.' : undefined
}

/** Why an amount that stands for what nobody knows stays booked; undefined: something else may explain what it was booked for. */
export async function whyNotDoubtful(db: Db, booking: NotifiedBooking | undefined): Promise<string | undefined> {
  if (booking?.gap !== 'lump') return undefined
  const gaps = await db.sql`select from iso20022_gaps where statement_id = ${booking.statement_id} and moved <> lumps`
  return gaps.length > 0
    ? undefined
    : 'It is what the statement opens differently by, again: this break ends by itself.'
}

/** Withdraws a booking. A statement that holds it after all books it again. */
export function withdrawBooking(db: Atomic, rail: string, booking: NotifiedBooking): Withdrawal {
  const { id, kind, asset, amount, remainder, reference, carried, deposit } = booking
  db.send`update iso20022_bookings set state = 'withdrawn' where id = ${id}`
  const paid = carried.reduce((sum, one) => sum + one.amount, 0n)
  const charge = kind === 'charge' ? amount : kind === 'payout' ? amount - paid : 0n
  const uncharged = charge > 0n ? { place: rail, asset, amount: charge } : undefined
  if (kind === 'deposit')
    return { events: [{ ...eventOf({ id, reference, asset, amount: remainder }, 'withdrawn'), rail }], uncharged }
  if (kind === 'deposit_reversed' && deposit) {
    db.send`update iso20022_bookings set remainder = remainder + ${amount} where id = ${deposit.id}`
    return { events: [{ ...reversalWithdrawn(id, amount, deposit), rail }], uncharged }
  }
  return { events: kind === 'payout' ? carried.map((one) => ({ ...neverPaid(id, one), rail })) : [], uncharged }
}

const reversalWithdrawn = (
  by: bigint,
  amount: bigint,
  { id, reference, asset }: Pick<StoredBooking, 'id' | 'reference' | 'asset'>,
): RailEvent => ({
  ...eventOf({ id, reference, asset, amount }, 'reversed', by),
  key: `${paymentOf(by)}:withdrawn`,
  kind: 'reversal_withdrawn',
  body: { payment: paymentOf(id), status: 'WITHDRAWN' },
})

/** A payment that was not carried out after all: it is owed again. */
const neverPaid = (id: bigint, { key: reference, asset, amount }: Carried): RailEvent => ({
  key: `${paymentOf(id)}:returned:${reference}`,
  kind: 'payout_returned',
  reference,
  payment: paymentOf(id),
  asset,
  amount,
  body: { payment: paymentOf(id), status: 'WITHDRAWN' },
})
