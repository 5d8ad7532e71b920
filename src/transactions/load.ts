import assert from 'node:assert/strict'

import { listingById, type Listing } from '../catalog/asset.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../db/sql.ts'
import type { Quote } from '../pricing/quote.ts'
import * as queries from './queries.ts'
import { type Personal, personalPlace, type Terms, type Transaction } from './transaction.ts'

/** Locks transactions until the block ends and reads them as they then are, by id. */
export async function lockTransactions(ctx: Ctx, db: Atomic, ids: bigint[]): Promise<Map<bigint, Transaction>> {
  if (ids.length === 0) return new Map()
  queries.lock(db, ids)
  const rows = await queries.read(db, ids)
  return new Map(rows.map((row) => [row.id, fromRow(ctx, row)]))
}

/** Locks the transactions that facts are about. What is read of them and of the facts after it is the latest. */
export const lockByFacts = (db: Atomic, factIds: bigint[]): void => queries.lockByFacts(db, factIds)

/** Reads transactions that this block has locked, by id, without those whose persons were erased. */
export async function readLocked(ctx: Ctx, db: Atomic, ids: bigint[]): Promise<Map<bigint, Transaction>> {
  if (ids.length === 0) return new Map()
  const rows = await queries.read(db, ids)
  return new Map(rows.filter((row) => row.wrapped_key !== null).map((row) => [row.id, fromRow(ctx, row)]))
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

/** A row of the database as the business sees it: assets from the catalogue, personal data opened. */
export function fromRow({ keyring }: Pick<Ctx, 'keyring'>, row: queries.TransactionRow): Transaction {
  const dataKey = keyring.unwrap(row.data_key_id, row.wrapped_key)
  return {
    id: row.id,
    publicId: row.public_id,
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
    moves: row.moves,
    events: row.events,
    history: (row.history ?? []).map((move) => ({ ...move, at: new Date(move.at) })),
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
    personal: { ...notGiven, ...dataKey.open<Personal>(row.personal, personalPlace(row.public_id)) },
    quoteExpiresAt: row.quote_expires_at,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }
}

/** What older records of persons have not. */
const notGiven = { payoutHolder: null, depositAddress: null }

function known(assetId: string): Listing {
  const listing = listingById(assetId)
  assert(listing, `the catalogue has lost ${assetId}`)
  return listing
}
