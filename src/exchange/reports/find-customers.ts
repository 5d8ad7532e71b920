import type { Ctx } from '../context.ts'
import { customersLike, emailOf } from './customers-like.ts'
import * as queries from './customers-like.sql.ts'
import { mostCustomers } from './search-limits.ts'

/** One line of the list of customers. `email` is null where the person was erased. */
export type FoundCustomer = {
  id: bigint
  partnerId: bigint
  partnerName: string
  email: string | null
  isProven: boolean
  createdAt: Date
}

/** The customers of the newest orders of all partners; with a text, those with such an id or a part of their e-mail address. */
export async function findCustomers(
  ctx: Ctx,
  { text: typed, limit }: { text: string; limit: number },
): Promise<{ customers: FoundCustomer[]; isCut: boolean }> {
  const text = typed.trim().toLowerCase()
  const id = /^\d{1,15}$/.test(text) ? BigInt(text) : undefined
  const found =
    text === '' || id !== undefined || text.length < 3
      ? { customers: id === undefined ? [] : [id], isCut: false }
      : await customersLike(ctx, { text, partnerId: null, most: mostCustomers })
  const rows = await queries.listed(ctx.db, text === '' ? null : found.customers, limit + 1)
  return {
    customers: rows.slice(0, limit).map((row) => ({
      id: row.id,
      partnerId: row.partner_id,
      partnerName: row.partner_name,
      email: emailOf(ctx, row) ?? null,
      isProven: row.is_proven,
      createdAt: row.created_at,
    })),
    isCut: found.isCut || rows.length > limit,
  }
}
