import type { Db } from '../../platform/db/sql.ts'
import type { Side } from '../../reference/catalog/payment-method.ts'

/** What is replayed of a transaction. */
export type ReplayRow = {
  id: bigint
  kind: 'retail' | 'b2b'
  side: Side
  partnerId: bigint
  customerId: bigint | null
  partnerCustomerId: bigint | null
  country: string | null
  fromAsset: string
  toAsset: string
  depositMethod: string
  payoutMethod: string
  commissionBasisPoints: number
  createdAt: Date
  /** When the present price was made. */
  pricedAt: Date
  /** When the customer was given instructions to pay. */
  awaitedAt: Date | null
  /** When its money was first reported. */
  arrivedAt: Date | null
  /** What was agreed, exchanged and paid out, in euro cents at the agreed price. */
  cents: bigint | null
  exchangedCents: bigint | null
  paidCents: bigint | null
}

const page = 2_000

/** The transactions that were created since, oldest first. Ids grow with time, so it reads back from the newest, page by page. */
export async function replayed(db: Db, since: Date): Promise<ReplayRow[]> {
  const rows: ReplayRow[] = []
  let before: bigint | null = null
  for (;;) {
    const next: ReplayRow[] = await readPage(db, before)
    const recent = next.filter(({ createdAt }) => createdAt >= since)
    rows.push(...recent)
    if (next.length < page || recent.length < next.length) return rows.toReversed()
    before = next.at(-1)?.id ?? null
  }
}

const readPage = (db: Db, before: bigint | null): Promise<ReplayRow[]> =>
  db.sql`
    select one.id, one.kind, one.side, one.partner_id as "partnerId", one.customer_id as "customerId",
      one.partner_customer_id as "partnerCustomerId", one.country, one.from_asset as "fromAsset", one.to_asset as "toAsset",
      one.deposit_method as "depositMethod", one.payout_method as "payoutMethod", one.created_at as "createdAt",
      (quotes.quote ->> 'madeAt')::timestamptz as "pricedAt", awaited.at as "awaitedAt", money.arrived_at as "arrivedAt",
      coalesce((select (fee ->> 'basisPoints')::integer from json_array_elements(quotes.quote -> 'fees') as fee
        where fee ->> 'kind' = 'partner' limit 1), 0) as "commissionBasisPoints",
      one.from_amount_in_eur as cents,
      div(money.exchanged * one.from_amount_in_eur, one.expected_from) as "exchangedCents",
      case when one.to_amount is null then null
        else div(one.to_amount * one.from_amount_in_eur, one.expected_to) end as "paidCents"
    from (
      select * from transactions where ${before}::bigint is null or id < ${before} order by id desc limit ${page}
    ) as one
    join quotes on quotes.transaction_id = one.id and quotes.number = 1
    cross join lateral (
      select min(at) as at from status_history where transaction_id = one.id and kind = 'completed'
    ) as awaited
    cross join lateral (
      select min(at) as arrived_at, coalesce(sum(exchanged), 0) as exchanged from deposits where transaction_id = one.id
    ) as money
    order by one.id desc`

/** A price that was made again, next to the one before: in units that compare as the prices do. */
export type Requote = { at: Date; partnerId: bigint; was: bigint; is: bigint }

export const requotes = (db: Db, ids: readonly bigint[]): Promise<Requote[]> =>
  db.sql`
    select (later.quote ->> 'madeAt')::timestamptz as at, partner_id as "partnerId",
      (later.quote #>> '{price,numerator}')::numeric * (earlier.quote #>> '{price,denominator}')::numeric as is,
      (earlier.quote #>> '{price,numerator}')::numeric * (later.quote #>> '{price,denominator}')::numeric as was
    from quotes as later
    join quotes as earlier on earlier.transaction_id = later.transaction_id and earlier.number = later.number - 1
    join transactions on transactions.id = later.transaction_id
    where later.transaction_id = any (${ids}::bigint[])`
