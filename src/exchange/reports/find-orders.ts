import type { Ctx } from '../context.ts'
import { bookedAsset } from '../../reference/catalog/sync-assets.ts'
import { readId } from '../../platform/lib/ids.ts'
import { formatAmount, parseAmount } from '../../platform/money/amount.ts'
import { personalPlace, type Personal } from '../transactions/transaction.ts'
import { customersLike } from './customers-like.ts'
import * as queries from './find-orders.sql.ts'
import { amountReach, mostCustomers, type SearchCut } from './search-limits.ts'

/** Which orders staff look for. `text`: an id, part of an e-mail address, a reference, a hash, an amount, a partner's own id. */
export type OrderSearch = {
  text?: string | undefined
  status?: string | undefined
  side?: string | undefined
  /** A ticker, or a ticker on a network: `BTC`, `USDT-TRX`. */
  asset?: string | undefined
  partnerId?: bigint | undefined
  since?: Date | undefined
  until?: Date | undefined
  /** From 1 on. */
  page: number
  limit: number
  /** Whether the text may be a part of an e-mail address: who searches learns of it. */
  byEmail: boolean
}

/** One line of the list; amounts are decimal texts in whole units, null where there is none yet. */
export type FoundOrder = {
  publicId: bigint
  createdAt: Date
  status: string
  statusDetails: string | null
  side: string
  kind: string
  partnerId: bigint
  partnerName: string
  email: string | null
  from: { asset: string; expected: string; paid: string | null }
  to: { asset: string; expected: string; paid: string | null }
}

export type OrderPage = { orders: FoundOrder[]; hasMore: boolean; cut: SearchCut[] }

/** A page of orders of all partners, the newest first; `hasMore`: there is another page. */
export async function findOrders(
  ctx: Ctx,
  search: OrderSearch,
  { customers: most, orders: reach } = { customers: mostCustomers, orders: amountReach },
): Promise<OrderPage> {
  const { status, side, asset, partnerId, since, until, page, limit } = search
  const text = await meaningOf(ctx, search, most)
  const { rows, isCut } = await ctx.db.atomic(async (db) => {
    // Which filters are given decides on the plan.
    db.send`select set_config('plan_cache_mode', 'force_custom_plan', true)`
    const filters = {
      status: status ?? null,
      side: side ?? null,
      asset: asset ?? null,
      partnerId: partnerId ?? null,
      since: since ?? null,
      until: until ?? null,
    }
    return queries.orders(db, filters, text, { offset: (page - 1) * limit, limit: limit + 1, reach })
  })
  return {
    orders: rows.slice(0, limit).map((row) => found(ctx, row)),
    hasMore: rows.length > limit,
    cut: [...(text?.areCustomersCut ? (['customers'] as const) : []), ...(isCut ? (['amounts'] as const) : [])],
  }
}

/** The newest orders of some customers, by the ids that partners see. */
export async function ordersOfCustomers(ctx: Ctx, customers: readonly bigint[], limit: number): Promise<FoundOrder[]> {
  const all = { status: null, side: null, asset: null, partnerId: null, since: null, until: null }
  const text = { ids: [], amounts: [], link: null, customers }
  const { rows } = await queries.orders(ctx.db, all, text, { offset: 0, limit, reach: 0 })
  return rows.map((row) => found(ctx, row))
}

function found({ keyring }: Pick<Ctx, 'keyring'>, row: queries.OrderRow): FoundOrder {
  const personal =
    row.wrapped &&
    keyring.unwrap(row.data_key_id, row.wrapped).open<Personal>(row.personal, personalPlace(row.public_id))
  return {
    publicId: row.public_id,
    createdAt: row.created_at,
    status: row.status,
    statusDetails: row.status_details,
    side: row.side,
    kind: row.kind,
    partnerId: row.partner_id,
    partnerName: row.partner_name,
    email: personal ? personal.email : null,
    from: {
      asset: row.from_asset,
      expected: shown(row.from_asset, row.expected_from),
      paid: row.from_amount === 0n ? null : shown(row.from_asset, row.from_amount),
    },
    to: {
      asset: row.to_asset,
      expected: shown(row.to_asset, row.expected_to),
      paid: row.to_amount === null ? null : shown(row.to_asset, row.to_amount),
    },
  }
}

function shown(asset: string, amount: bigint): string {
  const known = bookedAsset(asset)
  if (!known) throw new Error(`The catalog does not know ${asset}.`)
  return formatAmount(amount, known)
}

/** What a search's text may mean; undefined for an empty text: all orders. */
async function meaningOf(
  ctx: Ctx,
  { text: typed = '', byEmail, partnerId }: OrderSearch,
  most: number,
): Promise<(queries.OrderText & { areCustomersCut: boolean }) | undefined> {
  const text = typed.trim()
  if (text === '') return undefined
  const publicId = readId(text)
  const reference = text.replaceAll(/\s/g, '').toUpperCase()
  const rails = ctx.rails.all.map(({ name }) => name)
  const exact = await queries.idsByText(ctx.db, { text, reference, publicId: publicId ?? null, rails })
  const ids = exact.map(({ id }) => id)
  if (publicId !== undefined && ids.length > 0)
    return { ids, amounts: [], link: null, customers: [], areCustomersCut: false }
  const asked = { text: text.toLowerCase(), partnerId: partnerId ?? null, most }
  const { customers, isCut } =
    byEmail && text.length >= 3 ? await customersLike(ctx, asked) : { customers: [], isCut: false }
  return { ids, amounts: amountsOf(text), link: text, customers, areCustomersCut: isCut }
}

/** A decimal in the smallest units of every number of decimals that an asset may have. */
function amountsOf(text: string): { decimals: number; units: bigint }[] {
  const plain = text
    .replaceAll(/[\s'_]/g, '')
    .replace(/^(\d{1,3}(?:,\d{3})+)(?=\.|$)/, (whole) => whole.replaceAll(',', ''))
  if (!/^\d{1,15}(\.\d{1,18})?$/.test(plain)) return []
  return Array.from({ length: 19 }, (_, decimals) => decimals).flatMap((decimals) => {
    const fraction = plain.split('.')[1] ?? ''
    return fraction.length > decimals ? [] : [{ decimals, units: parseAmount(plain, { ticker: '', decimals }) }]
  })
}
