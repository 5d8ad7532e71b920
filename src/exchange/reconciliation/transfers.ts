import { type Difference, type Stated, statementLagMs } from './compare.ts'
import type { BookedTransfer } from './items.sql.ts'

/** How far apart a transfer's booking and its line on the statement may be, in milliseconds. */
export const transferWindowMs = statementLagMs

/**
 * Pairs transfers between our own accounts with lines of a statement that belong to no payment. Gives the lines and the amounts
 * that are left. A custodian shows a fee within the transfer's line, as a separate line, or not at all.
 */
export function withoutTransfers(
  stated: readonly Stated[],
  transfers: readonly BookedTransfer[],
): { stated: Stated[]; transfers: BookedTransfer[] } {
  const free = stated.toSorted(byFirst)
  const take = (asset: string, amount: bigint, at: Date): boolean => {
    if (amount === 0n) return false
    const index = free.findIndex((line) => line.asset === asset && line.amount === amount && isNear(line, at))
    if (index !== -1) free.splice(index, 1)
    return index !== -1
  }
  // The earliest transfer takes the earliest line: all windows are equally long, so no other order pairs more.
  const left = transfers
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map((transfer) => {
      const { asset, amount, fee, at } = transfer
      if (take(asset, amount + fee, at)) return { ...transfer, amount: 0n, fee: 0n }
      const isStated = take(asset, amount, at)
      const isFeeStated = take(asset, fee, at)
      return { ...transfer, amount: isStated ? 0n : amount, fee: isFeeStated ? 0n : fee }
    })
  return { stated: free, transfers: left.filter(({ amount, fee }) => amount + fee !== 0n) }
}

const byFirst = (one: Stated, other: Stated): number => one.first.getTime() - other.first.getTime()

const isNear = ({ first }: Stated, at: Date): boolean => Math.abs(first.getTime() - at.getTime()) <= transferWindowMs

/** The part of a transfer that is not on the statement. `now`: business time. */
export const notStated = ({ reference, asset, amount, fee, at }: BookedTransfer, now: Date): Difference => ({
  rail: 'transfer',
  direction: amount + fee < 0n ? 'out' : 'in',
  key: reference,
  asset,
  amount: -(amount + fee),
  kind: 'not_stated',
  cause: 'missing',
  isOnItsWay: now.getTime() - at.getTime() < statementLagMs,
})
