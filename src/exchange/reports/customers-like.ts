import { createHmac } from 'node:crypto'

import type { Ctx } from '../context.ts'
import { partnerCustomerPlace, type Person } from '../customers/person.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import * as queries from './customers-like.sql.ts'

/** How many customers whose hashes are missing are read before a search, and in one go of the background work. */
const batch = 2_000

/**
 * The customers whose e-mail address contains a text, by the hashes of its three-letter parts, then by reading them. `isCut`: more
 * than were read have these parts, or some customers have no hashes yet.
 */
export async function customersLike(
  ctx: Ctx,
  { text, partnerId, most }: { text: string; partnerId: bigint | null; most: number },
): Promise<{ customers: bigint[]; isCut: boolean }> {
  const made = await indexCustomers(ctx)
  const rows = await queries.customersWith(ctx.db, { trigrams: trigramsOf(ctx, text), partnerId, limit: most + 1 })
  const customers = rows.slice(0, most).flatMap((row) => (emailOf(ctx, row)?.includes(text) ? [row.id] : []))
  return { customers, isCut: rows.length > most || made === batch }
}

/** Makes the hashes of customers that have none yet. Gives how many it made. */
export async function indexCustomers(ctx: Pick<Ctx, 'db' | 'keyring' | 'secrets'>): Promise<number> {
  const rows = await queries.customersWithout(ctx.db, batch)
  const made = rows.map((row) => ({ id: row.id, trigrams: trigramsOf(ctx, emailOf(ctx, row) ?? '') }))
  if (made.length > 0) await queries.keepTrigrams(ctx.db, made)
  return made.length
}

/** The e-mail address of a customer, in small letters; undefined for an erased one. */
export function emailOf({ keyring }: Pick<Ctx, 'keyring'>, row: queries.CustomerRow): string | undefined {
  if (row.wrapped === null) return undefined
  const key: DataKey = keyring.unwrap(row.data_key_id, row.wrapped)
  return key.open<Person>(row.personal, partnerCustomerPlace(row.id)).email.toLowerCase()
}

/** A keyed hash of 63 bits of every three characters in a row. Who reads them learns how often each occurs, not which it is. */
function trigramsOf({ secrets }: Pick<Ctx, 'secrets'>, text: string): bigint[] {
  const parts = new Set(Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => text.slice(at, at + 3)))
  return [...parts].map((part) => {
    const digest = createHmac('sha256', secrets.index).update(`e-mail trigram ${part}`).digest()
    return digest.readBigUInt64BE() >> 1n
  })
}
