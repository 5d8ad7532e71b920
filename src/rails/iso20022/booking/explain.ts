import type { StatedBooking } from '../reading/interpret.ts'
import type { NamedPayment, PaymentRow } from '../paying/queries.ts'
import type { BookingKind, StoredBooking } from './queries.ts'

/** What a new booking is about. `charge` is what it cost beyond the payment. */
export type Explanation = {
  kind: BookingKind
  /** Payments of ours that it carries out or returns. */
  payments: PaymentRow[]
  deposit: Reversible | undefined
  charge: bigint
}

/** A deposit that can still be reversed, as a whole or in part. */
export type Reversible = Pick<StoredBooking, 'id' | 'reference' | 'amount' | 'remainder' | 'end_to_end'>

/** Payments that a message may be about. */
export type KnownPayment = NamedPayment

/** What bookings are compared with. What one booking uses up is taken off for the next one. */
export type Explainer = (booking: StatedBooking, identity: Identity) => Explanation

/** `isDoubtful`: it may be what is known or decided, so it reverses nothing, returns no payout a second time and is no charge. */
type Identity = { id: bigint; endToEnd: string | null; isDoubtful: boolean }

const nothing = { payments: [], deposit: undefined, charge: 0n }

/** Explains bookings in their order, by our payments and the deposits that are known. */
export function newExplainer(payments: readonly KnownPayment[], deposits: Reversible[]): Explainer {
  const byKey = new Map(payments.map((payment) => [payment.key, payment]))

  function incoming({ endToEndId, amount }: StatedBooking, { isDoubtful }: Identity): Explanation {
    const payment = byKey.get(endToEndId)
    // Only we and the payee know the end-to-end id: what carries it comes back from the payee or a bank on the way.
    // What comes back once more, or after a person has said that it did not, is for a person.
    if (payment && !isDoubtful && payment.state !== 'queued' && !payment.has_returned && amount <= payment.amount) {
      payment.has_returned = true
      return { ...nothing, kind: 'payout_returned', payments: [payment] }
    }
    return { ...nothing, kind: 'deposit' }
  }

  function outgoing(booking: StatedBooking, { id, endToEnd, isDoubtful }: Identity): Explanation {
    const { amount, isReturn } = booking
    if (booking.isCharge && !isDoubtful) return { ...nothing, kind: 'charge', charge: amount }
    const payment = byKey.get(booking.endToEndId)
    if (payment && isOpen(payment) && amount >= payment.amount) {
      payment.debited_by = id
      return { kind: 'payout', payments: [payment], deposit: undefined, charge: amount - payment.amount }
    }
    const lump = booking.endToEndId === '' ? batchOf(booking) : []
    if (lump.length > 0) {
      for (const one of lump) one.debited_by = id
      return { kind: 'payout', payments: lump, deposit: undefined, charge: 0n }
    }
    const deposit = !payment && !isDoubtful && (isReturn || booking.reference !== '') && depositOf(booking, endToEnd)
    if (!deposit) return { ...nothing, kind: 'unexplained', payments: payment ? [payment] : [] }
    deposit.remainder -= amount
    return { ...nothing, kind: 'deposit_reversed', deposit }
  }

  /** All payments of a file, or of a part of it, that the bank debited in one amount. */
  function batchOf({ messageId, paymentInformationId, amount }: StatedBooking): KnownPayment[] {
    const named = payments.filter(
      (one) =>
        (paymentInformationId !== '' && one.part === paymentInformationId) ||
        (paymentInformationId === '' && messageId !== '' && one.message_id === messageId),
    )
    const open = named.filter(isOpen)
    return open.reduce((sum, one) => sum + one.amount, 0n) === amount ? open : []
  }

  function depositOf({ reference, amount }: StatedBooking, endToEnd: string | null): Reversible | undefined {
    const left = deposits.filter(({ remainder }) => remainder >= amount)
    const byReference = reference === '' ? [] : left.filter((one) => one.reference === reference)
    const found =
      byReference.length > 0
        ? byReference
        : left.filter((one) => one.end_to_end !== null && one.end_to_end === endToEnd)
    return found.find((one) => one.remainder === amount) ?? found[0]
  }

  return (booking, identity) => (booking.direction === 'in' ? incoming(booking, identity) : outgoing(booking, identity))
}

/** Ordered, and not debited yet. */
const isOpen = ({ state, debited_by: debitedBy }: PaymentRow): boolean =>
  (state === 'sent' || state === 'done') && debitedBy === null
