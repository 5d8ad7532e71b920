import type { RailEvent } from '../../rail.ts'
import type { StoredBooking } from './queries.ts'

type Status = 'seen' | 'final' | 'reversed' | 'withdrawn'

const kinds = {
  seen: 'deposit_seen',
  final: 'deposit_final',
  reversed: 'deposit_reversed',
  withdrawn: 'deposit_withdrawn',
} as const
const statuses = { seen: 'PDNG', final: 'BOOK', reversed: 'RETURNED', withdrawn: 'WITHDRAWN' } as const

/** The rail's id of a payment to us: our id of its booking. */
export const paymentOf = (id: bigint): string => `bk_${id}`

/** Reads such an id; undefined for any other text. */
export const bookingOf = (payment: string): bigint | undefined =>
  /^bk_[1-9]\d{0,17}$/.test(payment) ? BigInt(payment.slice(3)) : undefined

/** The event about one status of a payment to us. A reversal is another booking: a payment may be reversed in parts. */
export const eventOf = (
  { id, reference, asset, amount }: Pick<StoredBooking, 'id' | 'reference' | 'asset' | 'amount'>,
  status: Status,
  by: bigint = id,
): RailEvent => ({
  key: `${paymentOf(by)}:${status}`,
  kind: kinds[status],
  reference,
  payment: paymentOf(id),
  asset,
  amount,
  body: { payment: paymentOf(id), status: statuses[status] },
})

/** The events about a payment to us so far, in order. */
export const eventsOf = (deposit: StoredBooking & { reversals: { id: string; amount: string }[] }): RailEvent[] => [
  ...(deposit.was_pending ? [eventOf(deposit, 'seen')] : []),
  ...(deposit.state === 'pending' ? [] : [eventOf(deposit, 'final')]),
  ...deposit.reversals.map(({ id, amount }) => eventOf({ ...deposit, amount: BigInt(amount) }, 'reversed', BigInt(id))),
  ...(deposit.state === 'withdrawn' ? [eventOf({ ...deposit, amount: deposit.remainder }, 'withdrawn')] : []),
]
