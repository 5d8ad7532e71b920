import type { Db } from '../../platform/db/sql.ts'

/** Filters; null bounds nothing. */
export type OrderFilters = {
  status: string | null
  side: string | null
  asset: string | null
  partnerId: bigint | null
  since: Date | null
  until: Date | null
}

/** What a text means: orders, the newest orders of an amount, a partner's own id, and customers' orders. */
export type OrderText = {
  ids: readonly bigint[]
  amounts: readonly { decimals: number; units: bigint }[]
  link: string | null
  customers: readonly bigint[]
}

/** A transaction as the list needs it, with what opens its personal data; `wrapped` is null where the person was erased. */
export type OrderRow = {
  public_id: bigint
  created_at: Date
  status: string
  status_details: string | null
  side: string
  kind: string
  partner_id: bigint
  partner_name: string
  from_asset: string
  expected_from: bigint
  from_amount: bigint
  to_asset: string
  expected_to: bigint
  to_amount: bigint | null
  data_key_id: bigint
  wrapped: Buffer | null
  personal: Buffer
}

/**
 * Orders of all partners, the newest first. Our ids grow with time, so the primary key gives the order. Amounts have no index:
 * `reach` is how many of the newest orders that pass the filters are searched for one, and `isCut` says that there are more.
 */
export async function orders(
  db: Db,
  { status, side, asset, partnerId, since, until }: OrderFilters,
  text: OrderText | undefined,
  { offset, limit, reach }: { offset: number; limit: number; reach: number },
): Promise<{ rows: OrderRow[]; isCut: boolean }> {
  const { ids, amounts, link, customers } = text ?? { ids: [], amounts: [], link: null, customers: [] }
  const rows = await db.sql<OrderRow & { is_cut: boolean }>`
    with filtered as not materialized (
      select * from transactions
      where (${status}::text is null or status = ${status})
        and (${side}::text is null or side = ${side})
        and (${asset}::text is null or from_asset = ${asset} or to_asset = ${asset}
          or split_part(from_asset, '-', 1) = ${asset} or split_part(to_asset, '-', 1) = ${asset})
        and (${partnerId}::bigint is null or partner_id = ${partnerId})
        and (${since}::timestamptz is null or created_at >= ${since})
        and (${until}::timestamptz is null or created_at < ${until})),
    asked as (
      select * from unnest(${amounts.map(({ decimals }) => decimals)}::integer[], ${amounts.map(({ units }) => units)}::numeric[])
        as asked (decimals, units)),
    latest as (
      select id, from_asset, to_asset, expected_from, from_amount, expected_to, to_amount
      from filtered where ${amounts.length > 0}::boolean order by id desc limit ${reach + 1}),
    matching as (
      select id from unnest(${[...ids]}::bigint[]) as id
      union
      select id from filtered where partner_customer_id = any(${[...customers]}::bigint[])
      union
      select filtered.id from partners join filtered on partner_id = partners.id
      where ${link}::text is not null and kind in ('retail', 'b2b') and external_partner_link_id = ${link}
      union
      select newest.id from (select * from latest order by id desc limit ${reach}) as newest
      join assets as source on source.id = from_asset join assets as target on target.id = to_asset
      join asked on asked.decimals = source.decimals and asked.units in (expected_from, from_amount)
        or asked.decimals = target.decimals and asked.units in (expected_to, to_amount)),
    found as (
      select * from filtered
      where (${text === undefined}::boolean or id = any(array(select id from matching)))
      order by id desc offset ${offset} limit ${limit})
    select public_id, found.created_at, status, status_details, side, kind, partner_id, partners.name as partner_name,
      from_asset, expected_from, from_amount, to_asset, expected_to, to_amount, data_key_id, wrapped, personal,
      (select count(*) from latest) > ${reach} as is_cut
    from (values (1)) as always left join found on true
    left join partners on partners.id = partner_id left join data_keys on data_keys.id = data_key_id
    order by found.id desc`
  return { rows: rows.filter((row) => row.public_id !== null), isCut: rows[0]?.is_cut === true }
}

/** Transactions that a text names exactly: by id, hash, or a rail's payment or reference. */
export const idsByText = (
  db: Db,
  { text, reference, publicId, rails }: { text: string; reference: string; publicId: bigint | null; rails: string[] },
): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from transactions where public_id = ${publicId}::bigint
    union
    select id from transactions where left(output_hash, 16) = left(${text}, 16) and output_hash = ${text}
    union
    select transaction_id from deposits where rail = any(${rails}::text[]) and payment = ${text} and transaction_id is not null
    union
    select transaction_id from deposit_instructions
    where rail = any(${rails}::text[]) and reference in (${text}, ${reference})`
