import type { Db } from '../../platform/db/sql.ts'
import { customer } from '../ledger/account.ts'
import { owedForExchanges } from '../ledger/transaction-entries.ts'
import type { RefundView, Transaction } from '../transactions/transaction.ts'
import type { FundsPosition } from './decide.ts'
import { type Deposit, depositsOf, freeOf, lossOf } from './deposit.ts'
import { isOpen, payoutsOf, type TransactionPayout } from './payout.ts'
import { type Refund, refundsOf } from './refund.ts'

/** All money of one transaction, row by row, as this block sees it: its own writes included. */
export type Funds = {
  deposits: Deposit[]
  payouts: TransactionPayout[]
  refunds: Refund[]
  /** What exchanges owe the customer, less what payouts have taken along. */
  owedForExchanges: bigint
}

/** Reads a transaction's money. The transaction is locked, and with it all of its money. */
export async function readFunds(db: Db, { id, publicId, to }: Transaction): Promise<Funds> {
  const [deposits, payouts, refunds] = await Promise.all([depositsOf(db, id), payoutsOf(db, id), refundsOf(db, id)])
  const payoutIds = payouts.filter(isOfExchange).map((payout) => payout.id)
  const account = customer(publicId)
  const [owed] = await owedForExchanges(db, { transactionId: id, account, asset: to.asset.id, payoutIds })
  return { deposits, payouts, refunds, owedForExchanges: owed?.amount ?? 0n }
}

/** Whether a payout pays what was exchanged, and not a refund. */
export const isOfExchange = ({ purpose }: Pick<TransactionPayout, 'purpose'>): boolean => purpose === 'payout'

/** The number of the next payout that is no refund. */
export const nextPayoutNumber = ({ payouts }: Funds): number => payouts.filter(isOfExchange).length + 1

/** Where a transaction's money is, as the decision needs it: computed from its rows, never stored. */
export function positionOf(transaction: Transaction, funds: Funds): FundsPosition {
  const { status, statusDetails: details, from, expectedFrom } = transaction
  const { deposits, refunds } = funds
  const payouts = funds.payouts.filter(isOfExchange)
  const open = payouts.some(isOpen)
  const isOwed = !open && funds.owedForExchanges > 0n
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
    exchanged: deposits.reduce((sum, { exchanged }) => sum + exchanged, 0n),
    isLost: deposits.some((deposit) => lossOf(deposit) > 0n),
    payouts: {
      open,
      paid: payouts.some(({ state }) => state === 'paid'),
      returned: isOwed && isBack,
      failed: isOwed && !isBack,
    },
    refunds: {
      open: is('ordered') || is('sent'),
      addressNeeded: is('address_needed'),
      failed: is('failed'),
      paid: is('paid') || isWrittenOff(funds),
    },
  }
}

/** More was taken off deposits than refunds were ordered: what was too little to be sent. */
function isWrittenOff({ deposits, refunds }: Funds): boolean {
  const taken = deposits.reduce((sum, { refunded }) => sum + refunded, 0n)
  const ordered = refunds.reduce((sum, { state, amount }) => sum + (state === 'cancelled' ? 0n : amount), 0n)
  return taken > ordered
}

/** All that arrived in the expected asset and was not reversed, or was at our loss: what partners read as `from_amount`. */
export const arrivedOf = ({ from }: Transaction, { deposits }: Pick<Funds, 'deposits'>): bigint =>
  deposits
    .filter(({ asset }) => asset === from.asset.id)
    .reduce((sum, deposit) => sum + deposit.amount - deposit.taken_back + lossOf(deposit), 0n)

/** What was paid out and has not come back; null as long as nothing was. */
export function paidOf({ payouts }: Funds): { toAmount: bigint | null; outputHash: string | null } {
  const paid = payouts.filter((payout) => isOfExchange(payout) && payout.state === 'paid')
  return {
    toAmount: paid.length === 0 ? null : paid.reduce((sum, { amount }) => sum + amount, 0n),
    outputHash: paid.at(-1)?.hash ?? null,
  }
}

/** Refunds as records show them, once this block has changed them: those that were there before keep the state of their payments. */
export const refundViews = (before: RefundView[], refunds: Refund[], payouts: TransactionPayout[]): RefundView[] =>
  refunds.map(({ id, public_id: publicId, asset, amount, cost, reason, state }) => {
    const known = before.find((one) => one.publicId === publicId)
    const hash = payouts.findLast((payout) => payout.refund_id === id)?.hash ?? null
    return { plan: known?.plan ?? null, hash, publicId, asset, amount, cost, reason, state }
  })

/** The first refund of a transaction that is in one of these states, unless its money was reversed meanwhile. */
export const refundIn = ({ refunds, deposits }: Funds, ...states: Refund['state'][]): Refund | undefined =>
  refunds.find(
    ({ state, deposit_id: of }) =>
      states.includes(state) && deposits.every((deposit) => deposit.id !== of || lossOf(deposit) === 0n),
  )
