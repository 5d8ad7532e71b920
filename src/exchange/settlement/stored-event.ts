import type { RailEvent } from '../../rails/rail.ts'

/** The kinds of rail events as they are stored. */
export type StoredKind =
  | 'deposit.seen'
  | 'deposit.final'
  | 'deposit.declined'
  | 'deposit.reversed'
  | 'dispute.opened'
  | 'dispute.won'
  | 'dispute.lost'
  | 'payout.settled'
  | 'payout.failed'
  | 'payout.returned'
  | 'other'

/** A rail event as it is stored, with the rail that reported it. */
export type StoredEvent = Omit<RailEvent, 'kind' | 'dispute'> & { rail: string; kind: StoredKind }

/** A rail event with the rail that reported it. */
export type ReportedEvent = RailEvent & { rail: string }

const storedKinds: Readonly<Record<RailEvent['kind'], StoredKind>> = {
  deposit_seen: 'deposit.seen',
  deposit_final: 'deposit.final',
  deposit_declined: 'deposit.declined',
  deposit_reversed: 'deposit.reversed',
  dispute_opened: 'dispute.opened',
  dispute_won: 'dispute.won',
  dispute_lost: 'dispute.lost',
  payout_settled: 'payout.settled',
  payout_failed: 'payout.failed',
  payout_returned: 'payout.returned',
  unknown: 'other',
}

/** The one place where rail events become rows. A dispute that took money from us is stored, and booked, as a reversal. */
export function stored({ kind, dispute, ...event }: ReportedEvent): StoredEvent {
  if (!dispute) return { ...event, kind: storedKinds[kind] }
  const { id, respondBy, fundsMoved } = dispute
  // Money that a won dispute gives back is another payment than the one that was disputed.
  const payment = kind === 'dispute_won' ? id : event.payment
  const body = {
    ...event.body,
    dispute: id,
    dispute_funds: fundsMoved ? 'moved' : 'unmoved',
    ...(respondBy === undefined ? {} : { dispute_respond_by: respondBy.toISOString() }),
  }
  const isWithdrawal = fundsMoved && (kind === 'dispute_opened' || kind === 'dispute_lost')
  return { ...event, payment, body, kind: isWithdrawal ? 'deposit.reversed' : storedKinds[kind] }
}
