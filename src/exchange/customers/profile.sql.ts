import type { Atomic, Db } from '../../platform/db/sql.ts'
import type { ImportRow } from './imported.ts'

/** A partner's own customer, and no other's: both ask for the same and find the same nothing. */
export const own = (db: Db, partnerId: bigint, id: bigint): Promise<{ id: bigint }[]> =>
  db.sql`select id from partner_customers where id = ${id} and partner_id = ${partnerId}`

/** A customer's row, and its block. */
export type Head = {
  id: bigint
  partnerId: bigint
  customerId: bigint | null
  dataKeyId: bigint
  personal: Buffer
  createdAt: Date
  reportedStatus: string
  events: number
  chargebacks: number
  isBlocked: boolean | null
  blockedAt: Date | null
}

/**
 * Reads customers by the ids that partners see. A block counts for the e-mail address; of one that is not proven, only the block
 * of this very customer is seen.
 */
export const heads = (db: Db, ids: bigint[]): Promise<Head[]> =>
  db.sql`
    select own.id, own.partner_id as "partnerId", own.customer_id as "customerId", own.data_key_id as "dataKeyId",
      own.personal, own.created_at as "createdAt", told_status as "reportedStatus", events,
      coalesce(chargebacks, 0) as chargebacks, is_blocked as "isBlocked", block.at as "blockedAt"
    from partner_customers as own
    left join customers on customers.id = own.customer_id
    left join lateral (
      select is_blocked, at from customer_blocks as block
      where block.email_hash = own.email_hash
        and (own.customer_id is not null or block.partner_customer_id = own.id)
      order by block.id desc limit 1
    ) as block on true
    where own.id = any(${ids}) order by own.id`

/**
 * The imports that count for each customer: its own; and of a proven address, those of everybody for whose transactions the
 * same customer has proven it.
 */
export const importsFor = (db: Db, ids: bigint[]): Promise<(ImportRow & { ofId: bigint })[]> =>
  db.sql`
    select own.id as "ofId", import.id, import.partner_id as "partnerId",
      import.partner_customer_id as "partnerCustomerId", provider, import.data_key_id as "dataKeyId", import.personal,
      changed_at as "changedAt"
    from partner_customers as own
    cross join lateral (
      select own.id union select same.id from partner_customers as same where same.customer_id = own.customer_id
    ) as counted
    join identity_imports as import on import.partner_customer_id = counted.id
    where own.id = any(${ids}) order by own.id, import.id`

/** What a customer did: transactions begun, money that came in and stayed, and where they last said that they live. */
export type Activity = {
  id: bigint
  inDay: bigint
  inMonth: bigint
  eurCentsInDay: bigint
  eurCentsInMonth: bigint
  /** How many customers, this one included, have used an address of this one's for their coins: the most shared one. */
  atAddress: bigint
  country: string | null
}

/**
 * Counts what customers did since a day and a month ago: in the transactions of the proven customer with whomever, and in
 * those that this partner made for the address and that wait for its proof. The newest thousand of each are looked at,
 * which is beyond what any rule counts to.
 */
export const activity = (
  db: Db,
  ids: bigint[],
  { dayAgo, monthAgo }: { dayAgo: Date; monthAgo: Date },
): Promise<Activity[]> =>
  db.sql`
    select own.id, count(done.id) filter (where created_at > ${dayAgo}) as "inDay",
      count(done.id) filter (where created_at > ${monthAgo}) as "inMonth",
      coalesce(sum(in_day), 0)::numeric(38, 0) as "eurCentsInDay",
      coalesce(sum(in_month), 0)::numeric(38, 0) as "eurCentsInMonth",
      (
        select coalesce(max(shared.customers), 0) from customer_traits as used
        cross join lateral (
          select count(*) as customers from (
            select from customer_traits as other where other.kind = 'address' and other.hash = used.hash limit 1000) as all_of_it
        ) as shared
        where used.kind = 'address' and used.customer_id = own.customer_id
      ) as "atAddress",
      (array_agg(country order by done.id desc) filter (where country is not null))[1] as country
    from (select id, customer_id from partner_customers where id = any(${ids})) as own
    left join lateral (
      (
        select id, created_at, country, from_asset, from_amount_in_eur, expected_from from transactions
        where customer_id = own.customer_id order by id desc limit 1000
      ) union all (
        select id, created_at, country, from_asset, from_amount_in_eur, expected_from from transactions
        where partner_customer_id = own.id and customer_id is null order by id desc limit 1000
      )
    ) as done on true
    left join lateral (
      select div(coalesce(sum(amount - ended_before) filter (where at > ${dayAgo}), 0) * from_amount_in_eur, expected_from) as in_day,
        div(coalesce(sum(amount - ended_before), 0) * from_amount_in_eur, expected_from) as in_month
      from deposits
      where transaction_id = done.id and asset = from_asset and state = 'final' and at > ${monthAgo}
    ) as paid on true
    group by own.id, own.customer_id`

/**
 * Keeps others from telling of these customers, and of all who are the same person, until the block ends; gives them all.
 * Other blocks may still refer to them.
 */
export const lockSame = (db: Atomic, ids: bigint[]): Promise<{ id: bigint }[]> =>
  db.sql`
    select id from partner_customers
    where id = any(${ids}) or customer_id in (select customer_id from partner_customers where id = any(${ids}))
    order by id for no key update`

/** Records which status was reported to partners. */
export const saveReportedStatus = (db: Atomic, rows: { id: bigint; status: string; events: number }[]): void =>
  db.send`
    update partner_customers set told_status = told.status, events = told.events
    from unnest(
      ${rows.map(({ id }) => id)}::bigint[], ${rows.map(({ status }) => status)}::text[],
      ${rows.map(({ events }) => events)}::integer[]) as told (id, status, events)
    where partner_customers.id = told.id`

/** A decision to serve somebody no more, or again. */
export type BlockRow = {
  isBlocked: boolean
  actor: string
  at: Date
  dataKeyId: bigint
  reason: Buffer
}

/** Takes down a decision about a customer, by the id that a partner sees. */
export const insertBlock = (db: Atomic, id: bigint, row: BlockRow): void =>
  db.send`
    insert into customer_blocks (partner_customer_id, email_hash, is_blocked, actor, data_key_id, reason, at)
    select id, email_hash, ${row.isBlocked}, ${row.actor}, ${row.dataKeyId}, ${row.reason}, ${row.at}
    from partner_customers where id = ${id}`

/** Every decision about a customer's e-mail address, oldest first. */
export const blocksOf = (db: Db, id: bigint): Promise<(BlockRow & { partnerCustomerId: bigint })[]> =>
  db.sql`
    select partner_customer_id as "partnerCustomerId", is_blocked as "isBlocked", actor, block.data_key_id as "dataKeyId",
      reason, at
    from partner_customers as own join customer_blocks as block on block.email_hash = own.email_hash
    where own.id = ${id} order by block.id`

/** What was decided last about a customer, by the id that a partner sees. */
export const lastBlock = (db: Db, id: bigint): Promise<{ isBlocked: boolean }[]> =>
  db.sql`
    select coalesce(
      (select is_blocked from customer_blocks as block where block.email_hash = own.email_hash order by block.id desc limit 1),
      false) as "isBlocked"
    from partner_customers as own where own.id = ${id}`

/** Whether a customer who has proven an e-mail address is blocked now. */
export const isBlocked = (db: Db, customerId: bigint): Promise<{ isBlocked: boolean }[]> =>
  db.sql`
    select is_blocked as "isBlocked" from customers join customer_blocks as block on block.email_hash = customers.email_hash
    where customers.id = ${customerId} order by block.id desc limit 1`
