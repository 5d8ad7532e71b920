import type { Ctx } from '../context.ts'
import type { ChangeKind } from '../transactions/status-history.ts'
import { hasHappened } from '../transactions/status-history.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { Partner } from '../partners/partner.ts'
import { depositOf } from './deposit.ts'
import type { FundsChange } from './funds-change.ts'
import { limitsAsAgreed, type PricedLimits } from './limits.ts'
import { type Funds, positionOf } from './position.ts'

/** The money and the limits of a transaction, known without a look at the database. */
export type KnownFunds = { funds: Funds; limits?: PricedLimits }

/**
 * What is known of a transaction where nothing out of the ordinary has happened: the first payment, all that was agreed, at a price
 * that holds, from a customer to whom no rule applies; and the evidence of its payout. That path costs no statement more than what
 * it writes. Undefined on every other.
 */
export function straightThrough(
  ctx: Ctx,
  { transaction, partner }: { transaction: Transaction; partner: Partner },
  change: FundsChange,
): KnownFunds | undefined {
  if (change.kind === 'payout_paid')
    return isOrdinary(transaction) ? { funds: paidOut(transaction, change) } : undefined
  if (change.kind !== 'deposit_final' || !isAsAgreed(transaction, change)) return undefined
  const funds: Funds = { ...noFunds, deposits: [depositOf(change.deposit)] }
  const position = positionOf(transaction, funds)
  const limits = limitsAsAgreed(ctx, { transaction, partner, position, arrival: change.arrival })
  const price = limits.priceOf(change.deposit.amount)
  return price === 'agreed' || price === 'near' ? { funds, limits } : undefined
}

const noFunds: Funds = { deposits: [], payouts: [], refunds: [], owedForExchanges: 0n }

function isAsAgreed(
  { status, from, expectedFrom, history }: Transaction,
  { deposit: { asset, amount }, isWatched }: Extract<FundsChange, { kind: 'deposit_final' }>,
): boolean {
  const isFirst = !hasHappened(history, 'deposit_final', 'deposit_matched')
  const isAgreed = asset === from.asset.id && amount === expectedFrom
  return status === 'waiting_for_deposit' && isFirst && isAgreed && !isWatched
}

/** What happens to a transaction with which nothing is the matter, before its payout is made. */
const ordinary: ReadonlySet<ChangeKind> = new Set<ChangeKind>([
  'created',
  'opened',
  'completed',
  'deposit_final',
  'payout_prepared',
])

// Neither a refund that is ordered nor money that waits to be exchanged leaves a trace in the history.
const isOrdinary = ({ history, refunds, fromAmount, expectedFrom }: Transaction): boolean =>
  refunds.length === 0 &&
  fromAmount === expectedFrom &&
  history.length <= ordinary.size &&
  history.filter(({ kind }) => kind === 'deposit_final').length === 1 &&
  history.every(({ kind }) => ordinary.has(kind))

/** One deposit, all of it exchanged, and one payout, which was just made: what the history alone says. */
const paidOut = (
  { id, from, to, fromAmount, updatedAt }: Transaction,
  { id: payoutId, amount, hash }: Extract<FundsChange, { kind: 'payout_paid' }>,
): Funds => {
  const deposit = { id: 0n, transactionId: id, eventId: 0n, rail: '', payment: '', asset: from.asset.id }
  return {
    ...noFunds,
    deposits: [depositOf({ ...deposit, amount: fromAmount, exchanged: fromAmount, at: updatedAt })],
    payouts: [
      {
        id: payoutId,
        purpose: 'payout',
        refund_id: null,
        number: 1,
        state: 'paid',
        reason: null,
        place: '',
        asset: to.asset.id,
        amount,
        fee_asset: null,
        most_fee: null,
        hash,
      },
    ],
  }
}
