import { proveEmail } from '../../src/exchange/customers/check-code.ts'
import { giveDetails } from '../../src/exchange/orders/checkout.ts'
import type { CheckoutView } from '../../src/exchange/orders/checkout-view.ts'
import { emailOf } from '../../src/exchange/orders/giver.ts'
import type { Details } from '../../src/exchange/orders/steps.ts'
import { readTransactionWhole } from '../../src/exchange/transactions/load.ts'
import type { Exchange } from './exchange.ts'

/** Gives details of an order as its customer, who has proven the email address, or proves it now. */
export async function giveAsCustomer({ service }: Exchange, id: string, details: Details): Promise<CheckoutView> {
  const { ctx } = service.composition
  const publicId = BigInt(id)
  const known = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!known) throw new Error(`There is no transaction ${id}.`)
  if (known.customerId !== null) return giveDetails(ctx, publicId, details, known.customerId)
  const email = emailOf(known) ?? `customer-${id}@example.com`
  const { partnerId } = known
  const { customerId } = await ctx.db.atomic((db) => proveEmail(ctx, db, { partnerId, email }))
  await giveDetails(ctx, publicId, { email, provenCustomerId: customerId }, customerId)
  return giveDetails(ctx, publicId, details, customerId)
}
