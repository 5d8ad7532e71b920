/**
 * Where a refund stands. `ordered`: nothing has left. `address_needed`: nobody knows where to. `sent`: a payout of it is planned.
 * `failed`: that came back or never left, and another is not ordered. `cancelled`: nothing was sent, and nothing is owed.
 */
export type RefundState = 'ordered' | 'address_needed' | 'sent' | 'paid' | 'failed' | 'cancelled'
