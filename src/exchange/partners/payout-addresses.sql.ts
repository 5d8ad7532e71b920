import type { Category } from '../../reference/catalog/payment-category.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { PayoutAddress, PayoutAddressStatus } from './payout-address.ts'

/** A registered address as the database keeps it, with its wrapped data key. */
export type Row = {
  id: bigint
  partner_id: bigint
  type: PayoutAddress['type']
  category: Category
  asset: string | null
  status: PayoutAddressStatus
  needs_approval: boolean
  approved_at: Date | null
  cooling_off_seconds: number
  active_from: Date
  events: number
  created_at: Date
  updated_at: Date
  data_key_id: bigint
  wrapped_key: Buffer | null
  details: Buffer
}

/** A new one: the hashes it is found by, and its details, sealed. */
export type NewRow = Omit<PayoutAddress, 'dataKey' | 'details'> & {
  same: Buffer
  addressHash: Buffer
  alike: Buffer | null
  dataKeyId: bigint
  details: Buffer
}

/** Returns no row if the same address is registered, even concurrently. */
export const insert = (db: Db, row: NewRow): Promise<{ id: bigint }[]> =>
  db.sql`
    insert into payout_addresses (id, partner_id, type, category, asset, status, needs_approval, approved_at,
      cooling_off_seconds, active_from, events, same, address_hash, alike, data_key_id, details, created_at, updated_at)
    values (${row.id}, ${row.partnerId}, ${row.type}, ${row.category}, ${row.asset}, ${row.status}, ${row.needsApproval},
      ${row.approvedAt}, ${row.coolingOffSeconds}, ${row.activeFrom}, ${row.events}, ${row.same}, ${row.addressHash}, ${row.alike}, ${row.dataKeyId},
      ${row.details}, ${row.createdAt}, ${row.updatedAt})
    on conflict (partner_id, same) do nothing returning id`

/** The one that a registration of the same address made before. */
export const findSame = (db: Db, partnerId: bigint, same: Buffer): Promise<Row[]> =>
  db.sql`
    select payout_addresses.*, wrapped as wrapped_key from payout_addresses join data_keys on data_keys.id = data_key_id
    where partner_id = ${partnerId} and same = ${same}`

/** A partner's registered wallets that begin and end like an address and are others, at most one. */
export const findAlike = (
  db: Db,
  partnerId: bigint,
  { alike, addressHash }: { alike: Buffer; addressHash: Buffer },
): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from payout_addresses
    where partner_id = ${partnerId} and alike = ${alike} and address_hash <> ${addressHash} limit 1`

/** Whether a partner has registered this very address before, for whatever asset. */
export const isKnown = async (db: Db, partnerId: bigint, addressHash: Buffer): Promise<boolean> =>
  (
    await db.sql`
      select 1 from payout_addresses where partner_id = ${partnerId} and address_hash = ${addressHash} limit 1`
  ).length > 0

/**
 * A partner's addresses by one of several hashes, as they are until the block ends: nobody can change their status before.
 * Oldest first.
 */
export const lockByHash = (db: Atomic, partnerId: bigint, hashes: Buffer[]): Promise<Row[]> =>
  db.sql`
    select payout_addresses.*, wrapped as wrapped_key from payout_addresses join data_keys on data_keys.id = data_key_id
    where partner_id = ${partnerId} and address_hash = any(${hashes}) order by payout_addresses.created_at, payout_addresses.id
    for share of payout_addresses`

/** The same for one by its id. */
export const lockById = (db: Atomic, partnerId: bigint, id: bigint): Promise<Row[]> =>
  db.sql`
    select payout_addresses.*, wrapped as wrapped_key from payout_addresses join data_keys on data_keys.id = data_key_id
    where partner_id = ${partnerId} and payout_addresses.id = ${id} for share of payout_addresses`

/** A page of a list by creation: behind a place, or so far from its beginning; without a limit, to its end. */
export type Page = { after: { createdAt: Date; id: bigint } | undefined; offset: number; limit: number | null }

/** A page of a partner's addresses, oldest first. */
export const oldestFirst = (db: Db, partnerId: bigint, { after, offset, limit }: Page): Promise<Row[]> =>
  db.sql`
    select payout_addresses.*, wrapped as wrapped_key from payout_addresses join data_keys on data_keys.id = data_key_id
    where partner_id = ${partnerId} and (payout_addresses.created_at, payout_addresses.id)
      > (${after?.createdAt.toISOString() ?? '-infinity'}::timestamptz, ${after?.id ?? 0n}::bigint)
    order by payout_addresses.created_at, payout_addresses.id offset ${offset} limit ${limit}`

/** The same, newest first. */
export const newestFirst = (db: Db, partnerId: bigint, { after, offset, limit }: Page): Promise<Row[]> =>
  db.sql`
    select payout_addresses.*, wrapped as wrapped_key from payout_addresses join data_keys on data_keys.id = data_key_id
    where partner_id = ${partnerId} and (payout_addresses.created_at, payout_addresses.id)
      < (${after?.createdAt.toISOString() ?? 'infinity'}::timestamptz, ${after?.id ?? 0n}::bigint)
    order by payout_addresses.created_at desc, payout_addresses.id desc offset ${offset} limit ${limit}`

/** Locks addresses to change them, in the order of their ids. */
export const lock = (db: Atomic, ids: bigint[]): Promise<Row[]> =>
  db.sql`
    select payout_addresses.*, wrapped as wrapped_key from payout_addresses join data_keys on data_keys.id = data_key_id
    where payout_addresses.id = any(${ids}) order by payout_addresses.id for update of payout_addresses`

/** The status of addresses, locked until the block ends. */
export const lockStatuses = (db: Atomic, ids: bigint[]): Promise<{ id: bigint; status: PayoutAddressStatus }[]> =>
  db.sql`select id, status from payout_addresses where id = any(${ids}) order by id for share`

export const save = (db: Atomic, { id, status, approvedAt, activeFrom, events, updatedAt }: PayoutAddress): void =>
  db.send`
    update payout_addresses set status = ${status}, approved_at = ${approvedAt}, active_from = ${activeFrom},
      events = ${events}, updated_at = ${updatedAt}
    where id = ${id}`
