import type { Ctx } from '../context.ts'
import { readById } from './load.ts'

/** Who the customer of a transaction is, for staff: the e-mail address, and the name if there is one. Undefined without a transaction. */
export async function readCustomerOf(ctx: Ctx, id: bigint | null): Promise<string | undefined> {
  const transaction = id === null ? undefined : await readById(ctx, ctx.db, id)
  return transaction?.personal.email ?? transaction?.personal.payoutHolder ?? undefined
}
