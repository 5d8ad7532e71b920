import type { RailEvent } from '../../rails/rail.ts'
import type { Arrival } from './queries.ts'

/** The fields that every message has. */
export const messageFields = ['event', 'payment', 'status', 'paid_to', 'asset', 'amount'] as const satisfies string[]

/** A message about a transfer to the wallet. */
export type Message = Record<(typeof messageFields)[number], string>

/** What is reported of a transfer to the wallet. */
export type Status = 'seen' | 'final' | 'reversed' | 'returned'

const kinds: ReadonlyMap<string, RailEvent['kind']> = new Map([
  ['SEEN', 'deposit_seen'],
  ['FINAL', 'deposit_final'],
  ['REVERSED', 'deposit_reversed'],
  ['RETURNED', 'payout_returned'],
])

/** The message about one status of a transfer. Each status is reported once. */
export const messageOf = ({ hash, reference, asset, amount }: Arrival, status: Status): Message => ({
  event: `${hash}:${status}:1`,
  payment: hash,
  status: status.toUpperCase(),
  paid_to: reference,
  asset,
  amount: String(amount),
})

/** Translates a message. An unknown status moves no money. */
export const toRailEvent = ({ event, payment, status, paid_to: reference, asset, amount }: Message): RailEvent => ({
  key: event,
  kind: kinds.get(status) ?? 'unknown',
  reference,
  payment,
  asset,
  amount: BigInt(amount),
  body: { payment, status },
})
