import { resembles } from '../../reference/addresses/resembles.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import * as queries from '../transactions/transactions.sql.ts'
import { type Personal, personalPlace } from '../transactions/transaction.ts'

/** How many of a customer's latest orders are compared: a poisoned address imitates one that was used recently. */
const latest = 50

/** The customer whose earlier orders are compared with `address`; `id` is the current order's. */
export type Compared = { customerId: bigint; id: bigint; address: string }

/**
 * An earlier payout address of this customer that the given one only resembles: the first and last six characters match, and the
 * rest doesn't. Thieves send dust from such addresses, hoping that they are copied from a history.
 */
export async function resemblingEarlier(
  { keyring }: Pick<Ctx, 'keyring'>,
  db: Db,
  { customerId, id, address }: Compared,
): Promise<string | undefined> {
  const rows = await queries.personalOfCustomer(db, customerId, id, latest)
  const earlier = rows.flatMap((row) => {
    if (!row.wrapped_key) return [] // an erased person's order tells nothing any more
    const key = keyring.unwrap(row.data_key_id, row.wrapped_key)
    return key.open<Personal>(row.personal, personalPlace(row.public_id)).payoutAddress ?? []
  })
  return earlier.includes(address) ? undefined : earlier.find((known) => resembles(known, address))
}

/** The same for an order's pages; undefined until its customer is known. */
export async function earlierResembling(ctx: Ctx, publicId: bigint, address: string): Promise<string | undefined> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.customerId === null) return undefined
  const { id, customerId } = transaction
  return resemblingEarlier(ctx, ctx.db, { customerId, id, address })
}
