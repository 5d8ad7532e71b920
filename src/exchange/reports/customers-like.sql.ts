import type { Db } from '../../platform/db/sql.ts'

/** A customer of a partner, with what opens the e-mail address. */
export type CustomerRow = {
  id: bigint
  data_key_id: bigint
  wrapped: Buffer | null
  personal: Buffer
}

/** The newest customers of all partners, or of one, whose addresses have these parts. */
export const customersWith = (
  db: Db,
  { trigrams, partnerId, limit }: { trigrams: readonly bigint[]; partnerId: bigint | null; limit: number },
): Promise<CustomerRow[]> =>
  db.sql`
    select partner_customers.id, data_key_id, wrapped, personal
    from partner_customers left join data_keys on data_keys.id = data_key_id
    where trigrams @> ${[...trigrams]}::bigint[] and (${partnerId}::bigint is null or partner_id = ${partnerId})
    order by partner_customers.id desc limit ${limit}`

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

/** A line of the list of customers. */
export type ListedRow = CustomerRow & {
  partner_id: bigint
  partner_name: string
  is_proven: boolean
  created_at: Date
}

/** How many of the newest orders say who the newest customers are. */
const orders = 1_000

/** These customers, or those of the newest orders. */
export const listed = (db: Db, ids: readonly bigint[] | null, limit: number): Promise<ListedRow[]> =>
  db.sql`
    with newest as (
      select id, 0::bigint as latest from unnest(${ids === null ? [] : [...ids]}::bigint[]) as id
      union all
      select partner_customer_id, max(id) from (
        select id, partner_customer_id from transactions where ${ids === null}::boolean order by id desc limit ${orders}
      ) as last where partner_customer_id is not null group by partner_customer_id
    )
    select own.id, partner_id, partners.name as partner_name, customer_id is not null as is_proven, own.created_at,
      data_key_id, wrapped, personal
    from newest join partner_customers as own using (id) join partners on partners.id = partner_id
    left join data_keys on data_keys.id = data_key_id
    order by latest desc, own.created_at desc limit ${limit}`
