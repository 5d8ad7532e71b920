import type { Atomic } from '../db/sql.ts'
import * as queries from './queries.ts'

/**
 * Writes down that these data keys encrypt the data of one customer, whose e-mail address is proven: erasing the customer
 * means erasing them all.
 */
export const ownKeys = (db: Atomic, customerId: bigint, keyIds: bigint[]): void => {
  if (keyIds.length > 0) queries.own(db, keyIds, customerId)
}
