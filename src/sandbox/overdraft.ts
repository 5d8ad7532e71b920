import { Refusal } from '../platform/lib/refusal.ts'

/** Waits for a move of money. Refuses with CONFLICT what a wallet or an account does not have: nothing goes below zero. */
export async function covered<T>(move: Promise<T>): Promise<T> {
  try {
    return await move
  } catch (error) {
    if (!isOverdraft(error)) throw error
    throw new Refusal('CONFLICT', 'There is less money there than should leave.')
  }
}

/** The checks `balance >= 0` of wallets and accounts, by the names that PostgreSQL gives them. */
const isOverdraft = (error: unknown): boolean =>
  error instanceof Error &&
  'constraint' in error &&
  (error.constraint === 'wallets_balance_check' || error.constraint === 'bank_balances_balance_check')
