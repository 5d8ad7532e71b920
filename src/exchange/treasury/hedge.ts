import { rowWriter } from '../../platform/db/rows.ts'
import { stateMachine } from '../settlement/transition.ts'

/**
 * The state of a hedge. `sent`: it may have reached the venue, and is looked for there. `unknown`: the venue does not show it, which
 * proves nothing. Nothing leads back to a state in which it would be sent.
 */
export type HedgeState =
  | 'proposed'
  | 'approved'
  | 'sent'
  | 'partly_filled'
  | 'filled'
  | 'rejected'
  | 'canceled'
  | 'unknown'

/** The lifecycle of hedges. */
export const hedges = stateMachine<HedgeState, 'sentAt' | 'endedAt' | 'outcome' | 'venueOrderId'>(
  'hedges',
  {
    proposed: ['approved', 'canceled'],
    approved: ['sent', 'canceled'],
    sent: ['partly_filled', 'filled', 'rejected', 'canceled', 'unknown'],
    unknown: ['sent', 'partly_filled', 'filled', 'rejected', 'canceled'],
    partly_filled: ['filled', 'canceled'],
    filled: [],
    rejected: [],
    canceled: [],
  },
  { sentAt: 'timestamptz', endedAt: 'timestamptz', outcome: 'text', venueOrderId: 'text' },
)

/** Whether nothing more can come of a hedge. */
export const isEnded = (state: HedgeState): boolean => hedges.lifecycle[state].length === 0

/** The job that sends an approved hedge and looks for what became of it. Its key is the hedge's id. */
export const hedgeDue = 'hedge.due'

/** A hedge that is written down. Amounts of `base` are in its smallest unit, `worth` is in euro cents. */
export type NewHedge = {
  id: bigint
  venue: string
  clientOrderId: string
  pair: string
  side: 'buy' | 'sell'
  base: string
  quote: string
  amount: bigint
  limitPrice: string
  worth: bigint
  state: 'proposed' | 'approved'
  reason: string
  proposedBy: string
  proposedAt: Date
}

export const hedgeRows = rowWriter<NewHedge>('hedges', {
  id: 'bigint',
  venue: 'text',
  clientOrderId: 'text',
  pair: 'text',
  side: 'text',
  base: 'text',
  quote: 'text',
  amount: 'numeric',
  limitPrice: 'text',
  worth: 'bigint',
  state: 'text',
  reason: 'text',
  proposedBy: 'text',
  proposedAt: 'timestamptz',
})

/** A stored hedge. `outcome` says why it ended, or why it is unknown. */
export type Hedge = {
  id: bigint
  venue: string
  client_order_id: string
  venue_order_id: string | null
  pair: string
  side: 'buy' | 'sell'
  base: string
  quote: string
  amount: bigint
  limit_price: string
  worth: bigint
  filled: bigint
  state: HedgeState
  reason: string
  outcome: string | null
  proposed_by: string
  proposed_at: Date
  sent_at: Date | null
  ended_at: Date | null
}
