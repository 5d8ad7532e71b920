import { setTimeout as wait } from 'node:timers/promises'

import type { Ctx } from '../context.ts'
import type { DataKey } from '../../platform/privacy/data-key.ts'
import type { Status } from './lifecycle.ts'
import { type ListedRow, type ListQuery, page } from './list.sql.ts'
import { fromRow } from './load.ts'
import type { Personal, Transaction } from './transaction.ts'

/** A span of time; an end that is not there is open. */
export type Span = { from: Date | undefined; before: Date | undefined }

/** Which of a partner's transactions are asked for. Those of another partner, or of the other kind, are never among them. */
export type Listing = {
  partnerId: bigint
  kind: Transaction['kind']
  /** By creation: the oldest first, or the newest. */
  sorting: 'asc' | 'desc'
  created: Span
  updated: Span
  status: Status | undefined
  externalPartnerLinkId: string | undefined
}

/** Where a page ended, within its listing: the creation time, to its last digit, and our id, of its last transaction. Not to be shown. */
export type ListPosition = { created: string; id: bigint }

/** Where a page begins: behind another one, or so far into the list, which costs the more the farther it is. */
export type ListStart = { after: ListPosition } | { offset: number }

/** A page; `next` is where the next one begins, undefined when this is the last. */
export type ListPage = { transactions: Transaction[]; next: ListPosition | undefined }

/**
 * How long a create may take from its creation time to its commit. Until then an older transaction may still appear in front
 * of one that can be read already.
 */
const settleMs = 1_000

/**
 * Reads a page of a partner's transactions, whole, in one statement. Paging by `next` meets everything that
 * was there at the beginning exactly once, and nothing twice, whatever is created meanwhile; from the oldest on, it
 * meets what is created meanwhile too. For that, a page which ends so near to the present that something might still
 * come before its end is read again a moment later. A person who has been erased is not shown, the transaction is.
 */
export async function listTransactions(ctx: Ctx, listing: Listing, limit: number, start: ListStart): Promise<ListPage> {
  const wanted = queryOf(listing, limit, start)
  let rows = await page(ctx.db, wanted)
  const unsettledMs = rows.length > limit && wanted.isAscending ? untilSettled(ctx, rows[limit - 1]) : 0
  if (unsettledMs > 0) {
    await wait(unsettledMs)
    rows = await page(ctx.db, wanted)
  }

  const hasMore = rows.length > limit
  const shown = wanted.isAscending ? rows.slice(0, limit) : rows.toReversed().slice(0, limit)
  const last = shown.at(-1)
  return {
    transactions: shown.map((row) => listed(ctx, row)),
    next: hasMore && last ? { created: last.created_text, id: last.id } : undefined,
  }
}

/** Before the first transaction of a time: every id of ours is greater. */
const beforeAll = 0n

function queryOf({ created, updated, ...listing }: Listing, limit: number, start: ListStart): ListQuery {
  const isAscending = listing.sorting === 'asc'
  const from = created.from?.toISOString() ?? '-infinity'
  const before = created.before?.toISOString() ?? 'infinity'
  const after = 'after' in start ? start.after : { created: isAscending ? from : before, id: beforeAll }
  return {
    partnerId: listing.partnerId,
    kind: listing.kind,
    isAscending,
    afterCreated: after.created,
    afterId: after.id,
    untilCreated: isAscending ? before : from,
    updatedFrom: updated.from?.toISOString() ?? '-infinity',
    updatedBefore: updated.before?.toISOString() ?? 'infinity',
    isUpdatedAsked: updated.from !== undefined || updated.before !== undefined,
    status: listing.status ?? null,
    link: listing.externalPartnerLinkId ?? null,
    offset: 'offset' in start ? start.offset : 0,
    limit: limit + 1,
  }
}

/** Never longer than `settleMs`, should the clock of another process be ahead. */
const untilSettled = ({ clock }: Ctx, last: ListedRow | undefined): number =>
  last === undefined ? 0 : Math.min(settleMs, last.created_at.getTime() + settleMs - clock.now().getTime())

function listed(ctx: Ctx, row: ListedRow): Transaction {
  if (row.wrapped_key !== null) return fromRow(ctx, row)
  const transaction = fromRow({ keyring: { ...ctx.keyring, unwrap: erasedKey } }, row)
  return { ...transaction, partnerCustomerId: null, customerId: null, country: null, outputHash: null }
}

/** What is left of a person who has been erased. */
const nobody: Personal = {
  email: null,
  phoneNumber: null,
  ip: null,
  payoutAddress: null,
  payoutExtraId: null,
  payoutHolder: null,
  depositAddress: null,
  redirects: {},
  billing: null,
}

/** Stands for a key that is no more: whatever it has sealed opens as nobody. */
const erasedKey = (id: bigint): DataKey => ({
  id,
  seal: refuseSeal,
  sealBytes: refuseSeal,
  open: <T>() => nobody as T,
  openBytes: refuseSeal,
})

function refuseSeal(): never {
  throw new Error('Nothing is sealed with the key of an erased person.')
}
