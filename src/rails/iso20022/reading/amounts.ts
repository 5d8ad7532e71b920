import { Refusal } from '../../../platform/lib/refusal.ts'
import { type Asset, parseAmount } from '../../../platform/money/amount.ts'
import { FileFault } from '../file-fault.ts'
import type { StatedAmount, StatementEntry } from './statement.ts'

/** A stated amount in the smallest unit of its asset, below zero for a debit. */
export function signed(asset: Asset, amount: StatedAmount, isDebit: boolean): bigint {
  const units = unitsOf(asset, amount)
  return isDebit ? -units : units
}

/** A stated amount in the smallest unit of its asset. Refuses another currency, and what is finer than the currency. */
export function unitsOf(asset: Asset, { text, currency }: StatedAmount): bigint {
  if (currency !== '' && currency !== asset.ticker)
    throw new FileFault('An amount is in another currency than its account.')
  try {
    return parseAmount(text, asset)
  } catch (error) {
    if (error instanceof Refusal) throw new FileFault('An amount cannot be read, or is finer than its currency.')
    throw error
  }
}

/** What booked entries add to an account. */
export const movedBy = (asset: Asset, entries: readonly StatementEntry[]): bigint =>
  entries
    .filter(({ status }) => status === 'BOOK')
    .reduce((sum, { amount, isDebit }) => sum + signed(asset, amount, isDebit), 0n)
