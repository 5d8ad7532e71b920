import type { Secrets } from '../../platform/privacy/master-key.ts'
import { isSameStamp, stampText } from '../../platform/privacy/stamp.ts'
import type { Atomic } from '../../platform/db/sql.ts'
import { fingerprintOf } from '../pricing/quote.ts'
import { insertQuotes } from './transactions.sql.ts'
import type { Transaction } from './transaction.ts'

type Keys = { secrets: Pick<Secrets, 'keyFor'> }

/** A quote as it is kept, with what it is of. */
type KeptQuote = { transactionId: bigint; number: number; quote: object }

/** A keyed hash of a whole quote and of whose it is. */
const stampOf = ({ secrets }: Keys, { transactionId, number, quote }: KeptQuote): Buffer =>
  stampText(secrets.keyFor('quotes'), JSON.stringify([String(transactionId), number, fingerprintOf(quote)]))

/** Whether the service has written a quote itself. */
export const isOurQuote = (keys: Keys, { stamp, ...kept }: KeptQuote & { stamp: Buffer | null }): boolean =>
  isSameStamp(stamp, stampOf(keys, kept))

/** Keeps the present quotes of transactions, for ever. */
export const keepQuotes = (
  keys: Keys,
  db: Atomic,
  transactions: readonly Pick<Transaction, 'id' | 'quoteNumber' | 'quote' | 'quoteExpiresAt'>[],
): void =>
  insertQuotes(
    db,
    transactions.map(({ id: transactionId, quoteNumber: number, quote, quoteExpiresAt: validUntil }) => {
      const stamp = stampOf(keys, { transactionId, number, quote })
      return { transactionId, number, validUntil, quote: JSON.stringify(quote), stamp }
    }),
  )
