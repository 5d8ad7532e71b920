/**
 * The statuses of a transaction. Partners see these names; the comments say what it waits for.
 */
export type Status =
  | 'new' //                  for the customer to come to the checkout
  | 'waiting_for_customer' // for the customer to complete what is missing
  | 'waiting_for_deposit' //  for the customer's money
  | 'on_hold' //              for a person or a rule to decide
  | 'exchanging' //           for the payout to be planned; the money is booked at the rate
  | 'sending' //              for the rail's evidence
  | 'finished'
  | 'refunded'
  | 'expired'
  | 'cancelled'
  | 'failed'

/** What can happen next. What is not written here cannot happen. */
export const lifecycle: Record<Status, readonly Status[]> = {
  new: ['waiting_for_customer', 'waiting_for_deposit', 'cancelled', 'expired', 'failed'],
  waiting_for_customer: ['waiting_for_deposit', 'on_hold', 'cancelled', 'expired', 'failed'],
  waiting_for_deposit: ['exchanging', 'on_hold', 'cancelled', 'expired', 'failed'],
  on_hold: [
    'waiting_for_customer',
    'waiting_for_deposit',
    'exchanging',
    'sending',
    'finished',
    'refunded',
    'cancelled',
    'expired',
    'failed',
  ],
  exchanging: ['sending', 'on_hold', 'refunded'],
  sending: ['finished', 'on_hold'],
  finished: ['on_hold'],
  refunded: ['on_hold'],
  expired: ['on_hold'],
  cancelled: ['on_hold'],
  failed: ['on_hold'],
}

/** Ends that are only allowed while no money has arrived. */
export const endsWithoutMoney: ReadonlySet<Status> = new Set(['cancelled', 'expired', 'failed'])

/** States that a transaction does not leave by itself: it then owes nobody. */
export const ended: ReadonlySet<Status> = new Set(['finished', 'refunded', 'expired', 'cancelled', 'failed'])

/** Its customer has not given everything yet. */
export const isIncomplete = ({ status }: { status: Status }): boolean =>
  status === 'new' || status === 'waiting_for_customer'

/** States in which a deadline can still end it. */
export const open: ReadonlySet<Status> = new Set(['new', 'waiting_for_customer', 'waiting_for_deposit'])
