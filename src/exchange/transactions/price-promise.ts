import type { Language } from '../../platform/language/language.ts'
import type { Transaction } from './transaction.ts'

/** What is promised of a price: it holds (`fixed`), or it is set when the money arrives (`provisional`). */
export type PricePromise = 'fixed' | 'provisional'

type Promised = Pick<Transaction, 'status' | 'statusDetails' | 'quoteExpiresAt'> & {
  history: readonly Pick<Transaction['history'][number], 'status'>[]
}

/**
 * The one answer for pages, emails and receipts. A price is fixed while it is held, and finally once money was exchanged at it. One
 * for a bank transfer is held for no time at all.
 */
export const pricePromiseOf = (promised: Promised, now: Date): PricePromise =>
  promised.quoteExpiresAt > now || isExchanged(promised) ? 'fixed' : 'provisional'

/** Questions about money that has no agreed price, even if other money of the order was exchanged. */
const unpriced: readonly (string | null)[] = ['late', 'underpaid', 'wrong_asset']

/** Whether what an order has taken is exchanged at its price; not if that was reversed, and the order waits for money again. */
export function isExchanged({ status, statusDetails, history }: Omit<Promised, 'quoteExpiresAt'>): boolean {
  if (status === 'on_hold' && unpriced.includes(statusDetails)) return false
  const statuses = history.map((change) => change.status)
  return statuses.lastIndexOf('exchanging') > statuses.lastIndexOf('waiting_for_deposit')
}

/** An amount with what is promised of it: "about", unless it is fixed. */
export const asPromised = (amount: string, promise: PricePromise, { say }: Pick<Language, 'say'>): string =>
  promise === 'fixed' ? amount : say('deadline.about', { amount })
