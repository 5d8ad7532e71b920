import { recordAudit } from '../audit/audit.ts'
import type { Category } from '../../reference/catalog/payment-category.ts'
import type { Ctx } from '../context.ts'
import type { Atomic, Db } from '../../platform/db/sql.ts'
import { recordEvents } from '../events/record.ts'
import { after } from '../../platform/lib/clock.ts'
import { randomId } from '../../platform/lib/ids.ts'
import { indexHash } from '../../platform/privacy/master-key.ts'
import type { Partner } from './partner.ts'
import { detailsPlace, type PayoutAddress, type PayoutAddressDetails, payoutAddressRecord } from './payout-address.ts'
import * as queries from './payout-addresses.sql.ts'

/** The job that ends an address's cooling-off time. Its key is the address's id. */
export const payoutAddressDue = 'payout_address.due'

/** An address to be registered, checked already. */
export type NewPayoutAddress = {
  type: PayoutAddress['type']
  category: Category
  asset: string | null
  details: PayoutAddressDetails
  /** What makes it another than one of the same address: a memo, or the bank of an account that is not an IBAN. */
  apart: string
}

type Who = { partner: Partner; actor: string }

/**
 * Registers an address of a partner's in the caller's block, audited and announced: active when its cooling-off time is over
 * and, if the account asks for it, an operator has approved. Registering the same one again changes nothing and gives the one
 * that is there.
 */
export async function registerPayoutAddress(
  ctx: Ctx,
  db: Atomic,
  { partner, actor }: Who,
  wanted: NewPayoutAddress,
): Promise<{ address: PayoutAddress; isNew: boolean }> {
  const same = sameHash(ctx, wanted)
  const known = await findSame(ctx, db, partner.id, same)
  if (known) return { address: known, isNew: false }

  const address = await newAddress(ctx, db, partner, wanted)
  const { details, dataKey, ...rest } = address
  const inserted = await queries.insert(db, {
    ...rest,
    same,
    addressHash: hashOfAddress(ctx, details.address),
    alike: wanted.type === 'crypto_wallet' ? alikeHash(ctx, details.address) : null,
    dataKeyId: dataKey.id,
    details: dataKey.seal(details, detailsPlace(address.id)),
  })
  if (inserted.length === 0) {
    const first = await findSame(ctx, db, partner.id, same)
    if (!first) throw new Error('A registered payout address is missing.')
    return { address: first, isNew: false }
  }
  const { id, type, status, createdAt: at } = address
  recordAudit(db, {
    at,
    actor,
    action: 'payout_address.added',
    subject: `payout_address:${id}`,
    before: null,
    after: { partner_id: String(partner.id), type, status },
  })
  announce(ctx, db, address)
  if (status === 'pending_review') {
    ctx.queue.enqueue(db, [{ kind: payoutAddressDue, key: String(id), runAt: address.activeFrom }])
  }
  return { address, isNew: true }
}

async function newAddress(ctx: Ctx, db: Atomic, partner: Partner, wanted: NewPayoutAddress): Promise<PayoutAddress> {
  const at = ctx.clock.now()
  const coolingOffSeconds = Math.ceil(ctx.config.b2b.coolingOffMs / 1_000)
  const activeFrom = after(at, coolingOffSeconds * 1_000)
  const { b2bApproval: needsApproval } = partner.settings
  const { type, category, asset, details } = wanted
  return {
    type,
    category,
    asset,
    details,
    id: randomId(),
    partnerId: partner.id,
    status: needsApproval || activeFrom > at ? 'pending_review' : 'active',
    needsApproval,
    approvedAt: null,
    coolingOffSeconds,
    activeFrom,
    events: 1,
    createdAt: at,
    updatedAt: at,
    dataKey: await ctx.keyring.make(db),
  }
}

/** Reports an address's status to its partner. */
export const announce = (ctx: Ctx, db: Atomic, address: PayoutAddress): void =>
  recordEvents(ctx, db, [
    {
      stream: address.id,
      sequence: address.events,
      partnerId: address.partnerId,
      type: 'b2b.payout_address.status_changed',
      at: address.updatedAt,
      dataKey: address.dataKey,
      payload: payoutAddressRecord(address),
    },
  ])

/**
 * A partner's registered addresses whose address or account is one of these texts, in canonical spelling, as they are until the
 * block ends. Oldest first; nothing of another partner's.
 */
export async function lockPayoutAddresses(
  ctx: Ctx,
  db: Atomic,
  partnerId: bigint,
  texts: string[],
): Promise<PayoutAddress[]> {
  const hashes = texts.map((text) => hashOfAddress(ctx, text))
  return (await queries.lockByHash(db, partnerId, hashes)).map((row) => fromRow(ctx, row))
}

/** The same for one by its id. */
export async function lockPayoutAddress(
  ctx: Ctx,
  db: Atomic,
  partnerId: bigint,
  id: bigint,
): Promise<PayoutAddress | undefined> {
  const [row] = await queries.lockById(db, partnerId, id)
  return row && fromRow(ctx, row)
}

/** Every address that a partner has registered, oldest first. */
export const listPayoutAddresses = async (ctx: Ctx, partnerId: bigint): Promise<PayoutAddress[]> =>
  (await queries.oldestFirst(ctx.db, partnerId, everything)).map((row) => fromRow(ctx, row))

const everything = { after: undefined, offset: 0, limit: null }

/** Where a page of addresses ended: the creation time and id of its last one. */
export type AddressPosition = { createdAt: Date; id: bigint }

/** Which of a partner's addresses are asked for: by creation, behind a place or so far into the list, at most so many. */
export type AddressListing = {
  sorting: 'asc' | 'desc'
  limit: number
  start: { after: AddressPosition } | { offset: number }
}

/** A page of the addresses that a partner has registered; `next` is where the next one begins, undefined when this is the last. */
export async function pagePayoutAddresses(
  ctx: Ctx,
  partnerId: bigint,
  { sorting, limit, start }: AddressListing,
): Promise<{ addresses: PayoutAddress[]; next: AddressPosition | undefined }> {
  const asked = {
    after: 'after' in start ? start.after : undefined,
    offset: 'offset' in start ? start.offset : 0,
    limit: limit + 1,
  }
  const rows = await (sorting === 'asc' ? queries.oldestFirst : queries.newestFirst)(ctx.db, partnerId, asked)
  const addresses = rows.slice(0, limit).map((row) => fromRow(ctx, row))
  return { addresses, next: rows.length > limit ? addresses.at(-1) : undefined }
}

/**
 * Those of these addresses that must not be paid to, whatever the reason: all that are not active. What it says holds until the
 * block ends.
 */
export async function lockInactive(db: Atomic, ids: bigint[]): Promise<Set<bigint>> {
  if (ids.length === 0) return new Set()
  const active = new Set<bigint>()
  for (const { id, status } of await queries.lockStatuses(db, ids)) if (status === 'active') active.add(id)
  return new Set(ids.filter((id) => !active.has(id)))
}

/**
 * Whether a wallet's address begins and ends like another one that the partner has registered, and has never been registered
 * itself: thieves send dust from such addresses, to be copied from a history.
 */
export async function resemblesRegistered(ctx: Ctx, db: Db, partnerId: bigint, address: string): Promise<boolean> {
  const addressHash = hashOfAddress(ctx, address)
  const [[alike], isKnown] = await Promise.all([
    queries.findAlike(db, partnerId, { alike: alikeHash(ctx, address), addressHash }),
    queries.isKnown(db, partnerId, addressHash),
  ])
  return alike !== undefined && !isKnown
}

async function findSame(ctx: Ctx, db: Db, partnerId: bigint, same: Buffer): Promise<PayoutAddress | undefined> {
  const [row] = await queries.findSame(db, partnerId, same)
  return row && fromRow(ctx, row)
}

/** A row of the database as the business sees it, its details opened. */
export function fromRow({ keyring }: Pick<Ctx, 'keyring'>, row: queries.Row): PayoutAddress {
  const dataKey = keyring.unwrap(row.data_key_id, row.wrapped_key)
  return {
    id: row.id,
    partnerId: row.partner_id,
    type: row.type,
    category: row.category,
    asset: row.asset,
    status: row.status,
    needsApproval: row.needs_approval,
    approvedAt: row.approved_at,
    coolingOffSeconds: row.cooling_off_seconds,
    activeFrom: row.active_from,
    events: row.events,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    dataKey,
    details: dataKey.open<PayoutAddressDetails>(row.details, detailsPlace(row.id)),
  }
}

type Hashing = Pick<Ctx, 'secrets'>

/** An account or address is the same whatever its holder and label. */
const sameHash = ({ secrets }: Hashing, { type, category, asset, details, apart }: NewPayoutAddress): Buffer =>
  indexHash(secrets, 'payout-address-same', JSON.stringify([type, category, asset, details.address, apart]))

const hashOfAddress = ({ secrets }: Hashing, address: string): Buffer => indexHash(secrets, 'payout-address', address)

/** How much of each end people and pages compare; `src/reference/addresses/resembles.ts` says why. */
const seen = 6

function alikeHash({ secrets }: Hashing, address: string): Buffer {
  const text = address.toLowerCase()
  return indexHash(secrets, 'payout-address-ends', `${text.slice(0, seen)} ${text.slice(-seen)}`)
}
