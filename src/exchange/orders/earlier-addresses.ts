import { resembles } from '../../reference/addresses/resembles.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import * as queries from '../transactions/transactions.sql.ts'
import { type Personal, personalPlace } from '../transactions/transaction.ts'

/** How many of a customer's latest orders are looked at: a poisoned address imitates one that was used lately. */
const latest = 50

/** Whose earlier orders, besides this one, an address is held against. */
export type Compared = { customerId: bigint; id: bigint; address: string }

/**
 * An address that this customer has been paid to before and that the given one only resembles: six characters at each end
 * agree, and it is another. Thieves send dust from such addresses, to be copied from a history (domain.md, section 5).
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

/** The same for whoever shows an order's pages: undefined as long as its customer is not known. */
export async function earlierResembling(ctx: Ctx, publicId: bigint, address: string): Promise<string | undefined> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.customerId === null) return undefined
  const { id, customerId } = transaction
  return resemblingEarlier(ctx, ctx.db, { customerId, id, address })
}
