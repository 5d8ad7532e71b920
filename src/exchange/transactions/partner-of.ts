import type { Ctx } from '../context.ts'
import { findPartners } from '../partners/known.ts'
import type { Partner } from '../partners/partner.ts'
import type { Transaction } from './transaction.ts'

/** Who created a transaction. */
export async function partnerOf(ctx: Ctx, { partnerId }: Transaction): Promise<Partner> {
  const partner = (await findPartners(ctx, [partnerId])).get(partnerId)
  if (!partner) throw new Error('A transaction has no partner.')
  return partner
}
