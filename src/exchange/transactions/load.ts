import assert from 'node:assert/strict'

import { listingById, type Listing } from '../../reference/catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { readId } from '../../platform/lib/ids.ts'
import type { Quote } from '../pricing/quote.ts'
import { closedKey, type DataKey } from '../../platform/privacy/data-key.ts'
import * as queries from './transactions.sql.ts'
import { type Personal, personalPlace, type Terms, type Transaction } from './transaction.ts'

/** Locks transactions until the block ends, then reads their current state. Keyed by id. */
export async function lockTransactions(ctx: Ctx, db: Atomic, ids: bigint[]): Promise<Map<bigint, Transaction>> {
  if (ids.length === 0) return new Map()
  queries.lock(db, ids)
  const rows = await queries.read(db, ids)
  return new Map(rows.map((row) => [row.id, fromRow(ctx, row)]))
}

/**
 * Reads transactions that this block has locked, by id: those of erased persons too, as `isErased`. Their bookkeeping
 * continues, and needs no personal data.
 */
export async function readLocked(ctx: Ctx, db: Atomic, ids: bigint[]): Promise<Map<bigint, Transaction>> {
  if (ids.length === 0) return new Map()
  const rows = await queries.read(db, ids)
  const read = new Map<bigint, Transaction>()
  for (const row of rows) {
    const isErased = row.wrapped_key === null
    read.set(row.id, isErased ? erased(row, await ctx.keyring.make(db)) : fromRow(ctx, row))
  }
  return read
}

/** The same for one transaction by its public id; undefined if there is none. */
export async function lockTransaction(ctx: Ctx, db: Atomic, publicId: bigint): Promise<Transaction | undefined> {
  queries.lockPublic(db, [publicId])
  const [row] = await queries.readPublic(db, [publicId])
  return row && fromRow(ctx, row)
}

/** Reads a transaction without a lock, for showing. */
export async function readTransactionWhole(ctx: Ctx, db: Db, publicId: bigint): Promise<Transaction | undefined> {
  const [row] = await queries.readPublic(db, [publicId])
  return row && fromRow(ctx, row)
}

/** Reads a transaction by our own id, without a lock; undefined for that of an erased person, too. */
export async function readById(ctx: Ctx, db: Db, id: bigint): Promise<Transaction | undefined> {
  const [row] = await queries.read(db, [id])
  return row && row.wrapped_key !== null ? fromRow(ctx, row) : undefined
}

/** The same of an erased person too, as `isErased`, with nothing personal. */
export async function readEvenErased(ctx: Ctx, db: Db, publicId: bigint): Promise<Transaction | undefined> {
  const [row] = await queries.readPublic(db, [publicId])
  if (!row) return undefined
  return row.wrapped_key === null ? erased(row, closedKey(row.data_key_id)) : fromRow(ctx, row)
}

/** Reads the transaction that a checkout link leads to, without a lock; undefined where it leads nowhere. */
export async function readTransactionByLink(ctx: Ctx, db: Db, tid: string): Promise<Transaction | undefined> {
  const publicId = await publicIdByLink(db, tid)
  return publicId === undefined ? undefined : readTransactionWhole(ctx, db, publicId)
}

/** The public id that a checkout link leads to; undefined where it leads nowhere. */
export async function publicIdByLink(db: Db, tid: string): Promise<bigint | undefined> {
  if (!/^[\w-]{1,64}$/.test(tid)) return undefined
  return queries.publicIdByLink(db, { token: tid, id: readId(tid) ?? null })
}

/** A row of the database as the business sees it: assets from the catalog, personal data opened. */
export function fromRow({ keyring }: Pick<Ctx, 'keyring'>, row: queries.TransactionRow): Transaction {
  const dataKey = keyring.unwrap(row.data_key_id, row.wrapped_key)
  return withPersonal(row, dataKey, dataKey.open<Personal>(row.personal, personalPlace(row.public_id)))
}

/** A row of somebody who was erased. The key is another one: the old one is gone, and nothing personal is sealed with this one. */
const erased = (row: queries.TransactionRow, dataKey: DataKey): Transaction => ({
  ...withPersonal(row, dataKey, nobody),
  isErased: true,
})

function withPersonal(row: queries.TransactionRow, dataKey: DataKey, personal: Personal): Transaction {
  return {
    id: row.id,
    publicId: row.public_id,
    checkoutToken: row.checkout_token,
    partnerId: row.partner_id,
    kind: row.kind,
    payoutAddressId: row.payout_address_id,
    side: row.side,
    status: row.status,
    statusDetails: row.status_details,
    from: known(row.from_asset),
    to: known(row.to_asset),
    expectedFrom: row.expected_from,
    expectedTo: row.expected_to,
    initialExpectedFrom: row.initial_expected_from,
    fromAmount: row.from_amount,
    fromAmountInEur: row.from_amount_in_eur,
    toAmount: row.to_amount,
    depositMethod: row.deposit_method,
    payoutMethod: row.payout_method,
    country: row.country,
    quoteNumber: row.quote_number,
    quote: row.quote as Quote,
    statusChanges: row.status_changes,
    events: row.events,
    history: (row.history ?? []).map(({ subjectId, at, ...rest }) => ({
      ...rest,
      subjectId: subjectId === null ? null : BigInt(subjectId),
      at: new Date(at),
    })),
    refunds: (row.refunds ?? []).map(({ id, amount, cost, ...rest }) => ({
      ...rest,
      publicId: BigInt(id),
      amount: BigInt(amount),
      cost: BigInt(cost),
    })),
    errors: row.errors as Transaction['errors'],
    terms: row.terms as Terms,
    externalPartnerLinkId: row.external_partner_link_id,
    outputHash: row.output_hash,
    partnerCustomerId: row.partner_customer_id,
    customerId: row.customer_id,
    dataKey,
    personal: { ...notGiven, ...personal },
    quoteExpiresAt: row.quote_expires_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** What older records of persons have not. */
const notGiven = { payoutHolder: null, depositAddress: null }

/** What is known of somebody who was erased. */
const nobody: Personal = {
  ...notGiven,
  email: null,
  phoneNumber: null,
  ip: null,
  payoutAddress: null,
  payoutExtraId: null,
  redirects: {},
  billing: null,
}

function known(assetId: string): Listing {
  const listing = listingById(assetId)
  assert(listing, `the catalog has lost ${assetId}`)
  return listing
}
