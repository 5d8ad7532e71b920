import { fees, hedgingFees, losses, methodCosts, networkFees, position } from '../ledger/account.ts'

/** A column of the profit and loss that is fed by booked entries. `revaluation` follows from balances and marks. */
export type BookedColumn = 'spread' | 'fees' | 'methodCosts' | 'networkCosts' | 'hedging' | 'drift'

/** Every account that belongs to the house, and where its changes show. Commission is the partners', capital the owner's. */
const houseAccounts: readonly { pattern: string; column: Exclude<BookedColumn, 'spread' | 'drift'> | 'exchange' }[] = [
  { pattern: position, column: 'exchange' },
  { pattern: fees('%'), column: 'fees' },
  { pattern: methodCosts, column: 'methodCosts' },
  { pattern: losses('%'), column: 'methodCosts' },
  { pattern: networkFees, column: 'networkCosts' },
  { pattern: hedgingFees, column: 'hedging' },
]

/** The same as patterns of SQL's `like`. */
export const housePatterns: readonly string[] = houseAccounts.map(({ pattern }) => pattern)

/** Where an account's changes show; `exchange` is split into spread and drift. Another account than the house's is a fault. */
export function columnOf(account: string): (typeof houseAccounts)[number]['column'] {
  const known = houseAccounts.find(({ pattern }) =>
    pattern.endsWith('%') ? account.startsWith(pattern.slice(0, -1)) : account === pattern,
  )
  if (!known) throw new Error(`${account} does not belong to the house.`)
  return known.column
}
