import type { Cause } from '../transactions/status-history.ts'
import type { FundsRequest } from './decide.ts'
import type { Deposit, NewDeposit } from './deposit.ts'
import type { Arrival } from './limits.ts'

/**
 * What just changed a transaction's money, or what is asked for about it. Each kind carries only what it needs: `id` is that of the
 * reversal, reinstatement, payout or refund.
 */
export type FundsChange =
  /** `isWatched`: rules of risk may apply to the customer. `isSentBack`: somebody else paid, and gets it back. */
  | { kind: 'deposit_final'; deposit: NewDeposit; arrival: Arrival; isWatched: boolean; isSentBack?: boolean }
  | { kind: 'deposit_matched'; deposit: Deposit; arrival: Arrival; isSentBack?: boolean }
  /** More came of a payment that was booked before; `id` is that of its entry. */
  | { kind: 'deposit_grown'; id: bigint; arrival: Arrival }
  /** `isWithdrawn`: it never came, although its rail had said so. */
  | { kind: 'deposit_reversed'; id: bigint; isLoss: boolean; isWithdrawn: boolean }
  | { kind: 'deposit_reinstated'; id: bigint }
  | { kind: 'payout_paid'; id: bigint; amount: bigint; hash: string }
  | {
      kind:
        | 'payout_failed'
        | 'payout_returned'
        | 'payout_return_withdrawn'
        | 'refund_paid'
        | 'refund_failed'
        | 'refund_returned'
        | 'refund_return_withdrawn'
      id: bigint
    }
  | { kind: 'refund_origin_unknown'; id: bigint }
  | { kind: 'refund_address_given'; request: 'none' | 'release' }
  /** The customer wants everything back that is free; staff give it back, or no more than `atMost` of the agreed asset. */
  | { kind: 'refund_requested' }
  | { kind: 'refund_ordered'; atMost: bigint | undefined }
  /** The customer accepts the price of this moment, if it pays out `atLeast` what was shown. */
  | { kind: 'price_accepted'; atLeast: bigint }
  | { kind: 'released' }

/** The cause of a change, for the status history. */
export function causeOf(change: FundsChange): Cause {
  if ('deposit' in change) return { kind: change.kind, id: change.deposit.id }
  if (change.kind === 'deposit_grown') return { kind: 'deposit_final', id: change.id }
  return 'id' in change ? { kind: change.kind, id: change.id } : { kind: change.kind }
}

/** What a change says in the status history where the decision itself gives no reason. */
export function reasonOf(change: FundsChange): string | undefined {
  if ('isSentBack' in change && change.isSentBack) return 'Somebody else paid: the money goes back.'
  if (change.kind === 'deposit_reversed' && (change.isLoss || change.isWithdrawn)) return lossReasonOf(change)
  return reasons[change.kind]
}

/** Why a partner sees an error where the loss is ours. */
export const lossReasonOf = ({ isWithdrawn }: { isWithdrawn: boolean }): string =>
  isWithdrawn
    ? 'The bank or processor cancelled this payment.'
    : 'The payment was taken back after it had been exchanged.'

const reasons: Partial<Record<FundsChange['kind'], string>> = {
  deposit_final: 'More money arrived.',
  deposit_grown: 'More of the payment arrived.',
  deposit_matched: 'Money was found to be for this transaction.',
  deposit_reversed: 'The payment was taken back.',
  deposit_reinstated: 'A payment that was taken back was given back.',
  payout_failed: 'The rail will never carry it out.',
  payout_returned: 'The payout came back.',
  payout_return_withdrawn: 'The payout had not come back.',
  refund_return_withdrawn: 'The refund had not come back.',
  refund_failed: 'The rail will never carry it out.',
  refund_returned: 'The refund came back.',
  refund_origin_unknown: 'Where the money came from is not known.',
  refund_requested: 'The customer asked for it.',
  refund_ordered: 'Our support gives it back.',
  price_accepted: 'The customer accepted.',
}

/** What a change asks of the decision. */
export const requestOf = (change: FundsChange): FundsRequest => {
  if ('isSentBack' in change && change.isSentBack) return 'refund'
  return change.kind === 'refund_address_given' ? change.request : (requests[change.kind] ?? 'none')
}

const requests: Partial<Record<FundsChange['kind'], FundsRequest>> = {
  refund_requested: 'refund',
  refund_ordered: 'refund',
  price_accepted: 'accept',
  released: 'release',
}
