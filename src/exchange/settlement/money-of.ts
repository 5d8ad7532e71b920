import type { Db } from '../../platform/db/sql.ts'
import { type BookedDeposit, depositsOf, freeOf, lossOf } from './deposit.ts'
import { customer } from '../ledger/account.ts'
import { owedForExchanges } from '../ledger/transaction-entries.ts'
import { type Refund, refundsOf } from './refund.ts'
import { payoutsOf, type StandingPayout } from './returned.ts'
import type { Standing } from './decide.ts'
import type { RefundView, Transaction } from '../transactions/transaction.ts'

/** All money of one transaction, as this block sees it: what it wrote itself included. */
export type MoneyOf = {
  deposits: BookedDeposit[]
  payouts: StandingPayout[]
  refunds: Refund[]
  /** What exchanges owe the customer, less what payouts have taken along. */
  owedForExchanges: bigint
}

/** Reads a transaction's money. The transaction is locked, by which all of it is. */
export async function moneyOf(db: Db, { id, publicId, to }: Transaction): Promise<MoneyOf> {
  const [deposits, payouts, refunds] = await Promise.all([depositsOf(db, id), payoutsOf(db, id), refundsOf(db, id)])
  const payoutIds = payouts.filter(({ purpose }) => purpose === 'payout').map((payout) => payout.id)
  const account = customer(publicId)
  const [owed] = await owedForExchanges(db, { transactionId: id, account, asset: to.asset.id, payoutIds })
  return { deposits, payouts, refunds, owedForExchanges: owed?.amount ?? 0n }
}

const openStates: ReadonlySet<StandingPayout['state']> = new Set(['waiting', 'reserved', 'planned', 'unknown'])

/** Whether a payout is ordered and has not ended. */
export const isOpen = ({ state }: Pick<StandingPayout, 'state'>): boolean => openStates.has(state)

/** Whether a payout is ordered and nobody has planned it. */
export const isUnplanned = ({ state }: Pick<StandingPayout, 'state'>): boolean =>
  state === 'waiting' || state === 'reserved'

/** What stands of a transaction's money, as the decision asks it. */
export function standingOf(transaction: Transaction, money: MoneyOf): Standing {
  const { status, statusDetails: details, from, expectedFrom } = transaction
  const { deposits, refunds } = money
  const payouts = money.payouts.filter(({ purpose }) => purpose === 'payout')
  const open = payouts.some(isOpen)
  const isOwed = !open && money.owedForExchanges > 0n
  const last = payouts.at(-1)
  const isBack = last?.state === 'failed' && last.reason === 'returned'
  const is = (state: Refund['state']): boolean => refunds.some((refund) => refund.state === state)
  return {
    status,
    details,
    expected: from.asset.id,
    agreed: expectedFrom,
    free: deposits.flatMap((deposit) => {
      const amount = freeOf(deposit)
      return amount > 0n ? [{ depositId: deposit.id, asset: deposit.asset, amount }] : []
    }),
    isExchanged: deposits.some(({ exchanged }) => exchanged > 0n),
    isLost: deposits.some((deposit) => lossOf(deposit) > 0n),
    payouts: {
      open,
      paid: payouts.some(({ state }) => state === 'paid'),
      bounced: isOwed && isBack,
      never: isOwed && !isBack,
    },
    refunds: {
      open: is('ordered') || is('sent'),
      addressNeeded: is('address_needed'),
      failed: is('failed'),
      paid: is('paid') || isWrittenOff(money),
    },
  }
}

/** More was taken off deposits than refunds were ordered: what was too little to be sent. */
function isWrittenOff({ deposits, refunds }: MoneyOf): boolean {
  const taken = deposits.reduce((sum, { refunded }) => sum + refunded, 0n)
  const ordered = refunds.reduce((sum, { state, amount }) => sum + (state === 'cancelled' ? 0n : amount), 0n)
  return taken > ordered
}

/** All that arrived in the expected asset and has not been taken back, or was at our loss: what partners read as `from_amount`. */
export const arrivedOf = ({ from }: Transaction, { deposits }: Pick<MoneyOf, 'deposits'>): bigint =>
  deposits
    .filter(({ asset }) => asset === from.asset.id)
    .reduce((sum, deposit) => sum + deposit.amount - deposit.taken_back + lossOf(deposit), 0n)

/** What was paid out and has not come back; null as long as nothing was. */
export function paidOf({ payouts }: MoneyOf): { toAmount: bigint | null; outputHash: string | null } {
  const paid = payouts.filter(({ purpose, state }) => purpose === 'payout' && state === 'paid')
  return {
    toAmount: paid.length === 0 ? null : paid.reduce((sum, { amount }) => sum + amount, 0n),
    outputHash: paid.at(-1)?.hash ?? null,
  }
}

/** Refunds as records tell of them, once this block has changed them: those that were told before keep their plans. */
export const refundViews = (before: RefundView[], refunds: Refund[], payouts: StandingPayout[]): RefundView[] =>
  refunds.map(({ id, public_id: publicId, asset, amount, cost, reason, state }) => {
    const told = before.find((one) => one.publicId === publicId)
    const hash = payouts.findLast((payout) => payout.refund_id === id)?.hash ?? null
    return { plan: told?.plan ?? null, hash, publicId, asset, amount, cost, reason, state }
  })
