import type { Db } from '../../platform/db/sql.ts'

/** What is asked for; null bounds nothing. */
export type OrderQuery = {
  ids: bigint[] | null
  status: string | null
  side: string | null
  asset: string | null
  partnerId: bigint | null
  since: Date | null
  until: Date | null
  offset: number
  limit: number
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

/** Orders of all partners, the newest first. Our ids grow with time, so the primary key gives the order. */
export const orders = (
  db: Db,
  { ids, status, side, asset, partnerId, since, until, offset, limit }: OrderQuery,
): Promise<OrderRow[]> =>
  db.sql`
    with found as (
      select * from transactions
      where (${ids}::bigint[] is null or id = any(${ids}::bigint[]))
        and (${status}::text is null or status = ${status})
        and (${side}::text is null or side = ${side})
        and (${asset}::text is null or from_asset = ${asset} or to_asset = ${asset}
          or split_part(from_asset, '-', 1) = ${asset} or split_part(to_asset, '-', 1) = ${asset})
        and (${partnerId}::bigint is null or partner_id = ${partnerId})
        and (${since}::timestamptz is null or created_at >= ${since})
        and (${until}::timestamptz is null or created_at < ${until})
      order by id desc offset ${offset} limit ${limit})
    select public_id, found.created_at, status, status_details, side, kind, partner_id, partners.name as partner_name,
      from_asset, expected_from, from_amount, to_asset, expected_to, to_amount, data_key_id, wrapped, personal
    from found join partners on partners.id = partner_id
    left join data_keys on data_keys.id = data_key_id
    order by found.id desc`

/** Transactions that a text names exactly: by id, hash, a rail's payment or reference, or the partner's own id. */
export const idsByText = (
  db: Db,
  {
    text,
    reference,
    publicId,
    rails,
    limit,
  }: { text: string; reference: string; publicId: bigint | null; rails: string[]; limit: number },
): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from transactions where public_id = ${publicId}::bigint
    union
    select id from transactions where left(output_hash, 16) = left(${text}, 16) and output_hash = ${text}
    union
    select transaction_id from deposits where rail = any(${rails}::text[]) and payment = ${text} and transaction_id is not null
    union
    select transaction_id from deposit_instructions
    where rail = any(${rails}::text[]) and reference in (${text}, ${reference})
    union
    (select transactions.id from partners join transactions on partner_id = partners.id
    where kind in ('retail', 'b2b') and external_partner_link_id = ${text} limit ${limit})`

/** The last transactions of customers. */
export const idsOfCustomers = (db: Db, customers: readonly bigint[], limit: number): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from transactions where partner_customer_id = any(${[...customers]}::bigint[]) order by id desc limit ${limit}`

/** Transactions of an amount, of those made last; without an index, so of the last hundred thousand only. */
export const idsByAmount = (
  db: Db,
  amounts: readonly { decimals: number; units: bigint }[],
  limit: number,
): Promise<{ id: bigint }[]> =>
  db.sql`
    with asked as (
      select * from unnest(${amounts.map(({ decimals }) => decimals)}::integer[], ${amounts.map(({ units }) => units)}::numeric[])
        as asked (decimals, units)),
    latest as (
      select id, from_asset, to_asset, expected_from, from_amount, expected_to, to_amount
      from transactions order by id desc limit 100000)
    select distinct latest.id from latest
    join assets as source on source.id = from_asset join assets as target on target.id = to_asset
    join asked on asked.decimals = source.decimals and asked.units in (expected_from, from_amount)
      or asked.decimals = target.decimals and asked.units in (expected_to, to_amount)
    order by latest.id desc limit ${limit}`

/** A customer of a partner, with what opens the e-mail address. */
export type CustomerRow = { id: bigint; data_key_id: bigint; wrapped: Buffer | null; personal: Buffer }

export const customersWith = (db: Db, trigrams: readonly bigint[], limit: number): Promise<CustomerRow[]> =>
  db.sql`
    select partner_customers.id, data_key_id, wrapped, personal
    from partner_customers left join data_keys on data_keys.id = data_key_id
    where trigrams @> ${[...trigrams]}::bigint[] order by partner_customers.id desc limit ${limit}`

export const customersWithout = (db: Db, limit: number): Promise<CustomerRow[]> =>
  db.sql`
    select partner_customers.id, data_key_id, wrapped, personal
    from partner_customers left join data_keys on data_keys.id = data_key_id
    where trigrams is null order by partner_customers.id limit ${limit}`

export const keepTrigrams = (db: Db, rows: readonly { id: bigint; trigrams: bigint[] }[]): Promise<unknown[]> =>
  db.sql`
    update partner_customers set trigrams = array(
      select part::bigint from unnest(string_to_array(made.trigrams, ' ')) as part where part <> '')
    from unnest(${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ trigrams }) => trigrams.join(' '))}::text[]) as made (id, trigrams)
    where partner_customers.id = made.id`
