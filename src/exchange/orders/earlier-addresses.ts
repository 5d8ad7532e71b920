import { resembles } from '../../reference/addresses/resembles.ts'
import type { Ctx } from '../context.ts'
import type { Db } from '../../platform/db/sql.ts'
import { readTransactionWhole } from '../transactions/load.ts'
import { boundIn } from './giver.ts'
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
  const earlier = personalIn({ keyring }, rows).flatMap(({ payoutAddress }) => payoutAddress ?? [])
  return earlier.includes(address) ? undefined : earlier.find((known) => resembles(known, address))
}

/** The same for an order's pages; undefined until its customer is known. */
export async function earlierResembling(ctx: Ctx, publicId: bigint, address: string): Promise<string | undefined> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.customerId === null) return undefined
  const { id, customerId } = transaction
  return resemblingEarlier(ctx, ctx.db, { customerId, id, address })
}

/** Where an order of this customer was paid out. */
export type SavedDestination = { address: string; extraId: string; holder: string }

/** How many are offered, and how many orders are looked through for them. */
const mostSaved = { offered: 3, orders: 20 }

/**
 * Where finished orders of this order's customer paid the same asset out by the same method, the latest first: the customer can choose
 * one instead of entering it. The caller knows that the customer is the one who asks.
 */
export async function savedDestinations(ctx: Ctx, publicId: bigint): Promise<SavedDestination[]> {
  const transaction = await readTransactionWhole(ctx, ctx.db, publicId)
  if (!transaction || transaction.customerId === null) return []
  const { customerId, to, payoutMethod } = transaction
  const rows = await queries.paidOutTo(ctx.db, { customerId, toAsset: to.asset.id, payoutMethod }, mostSaved.orders)
  const saved = new Map<string, SavedDestination>()
  for (const { payoutAddress: address, payoutExtraId, payoutHolder } of personalIn(ctx, rows)) {
    if (address === null) continue
    const one = { address, extraId: payoutExtraId ?? '', holder: payoutHolder ?? '' }
    saved.set(JSON.stringify(one), one)
  }
  return [...saved.values()].slice(0, mostSaved.offered)
}

type SealedOrder = { public_id: bigint; data_key_id: bigint; wrapped_key: Buffer | null; personal: Buffer }

/** What orders hold about their customer; not what binds the customer, and nothing of an erased person. */
const personalIn = ({ keyring }: Pick<Ctx, 'keyring'>, rows: readonly SealedOrder[]): Personal[] =>
  rows
    .flatMap((row) =>
      row.wrapped_key === null
        ? []
        : keyring.unwrap(row.data_key_id, row.wrapped_key).open<Personal>(row.personal, personalPlace(row.public_id)),
    )
    .filter((personal) => !boundIn(personal).destination)
