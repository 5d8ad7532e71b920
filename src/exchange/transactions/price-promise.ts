import type { Transaction } from './transaction.ts'

/** What is promised of a price: it holds (`fixed`), or it is set when the money arrives (`provisional`). */
export type PricePromise = 'fixed' | 'provisional'

/**
 * The one answer for pages, emails and receipts. A price is fixed while it is held, and finally once money was exchanged at it. One
 * for a bank transfer is held for no time at all.
 */
export const pricePromiseOf = (
  {
    quoteExpiresAt,
    history,
  }: { quoteExpiresAt: Date; history: readonly Pick<Transaction['history'][number], 'status'>[] },
  now: Date,
): PricePromise =>
  quoteExpiresAt > now || history.some(({ status }) => status === 'exchanging') ? 'fixed' : 'provisional'
