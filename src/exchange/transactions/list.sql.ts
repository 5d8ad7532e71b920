import type { Db } from '../../platform/db/sql.ts'
import type { TransactionRow } from './transactions.sql.ts'

/** Which of a partner's transactions to list, and in which order. Every time is a text that PostgreSQL reads. */
export type ListQuery = {
  partnerId: bigint
  kind: 'retail' | 'b2b'
  /** Oldest first? */
  isAscending: boolean
  /** Where the page begins: behind this creation time and our id, in the requested order. */
  afterCreated: string
  afterId: bigint
  /** Where the list ends: oldest first, before this creation time; newest first, with it. */
  untilCreated: string
  /** Last changed from (inclusive) and before (exclusive); `-infinity` and `infinity` bound nothing. */
  updatedFrom: string
  updatedBefore: string
  /** Whether the two above bound anything. */
  isUpdatedAsked: boolean
  status: string | null
  link: string | null
  offset: number
  limit: number
}

/** A listed transaction, whole, with the creation time to its last digit, as a later page's beginning. */
export type ListedRow = TransactionRow & { created_text: string }

/** What is found by its last change is sorted whole for every page; only if it is not more than this. */
const sortedAtMost = 10_000

/**
 * A page of a partner's transactions, whole, in one statement; oldest first, whatever the requested order. Whichever
 * filter is the narrowest has an index in the order of creation (`migrations/0012-transaction-lists.sql`), so that a page costs the
 * same at any depth: the branches that are not asked for are not executed. Of the last change there cannot be such an
 * index: a short span of it is found by its own index and sorted, a long one is met often enough on the way. At the side
 * where a page begins there is one bound only, with both columns: of two, an index scan may begin at the farther one. A
 * `case` keeps its columns from the planner, who would take a span that bounds nothing for a narrow one.
 */
export const page = (db: Db, query: ListQuery): Promise<ListedRow[]> =>
  db.sql`
    with asked as not materialized (
      select ${query.partnerId}::bigint as partner_id, ${query.kind}::text as kind, ${query.isAscending}::boolean as ascending,
        ${query.afterCreated}::timestamptz as after_created, ${query.afterId}::bigint as after_id,
        ${query.untilCreated}::timestamptz as until_created,
        ${query.updatedFrom}::timestamptz as updated_from, ${query.updatedBefore}::timestamptz as updated_before,
        ${query.isUpdatedAsked}::boolean as has_updated, ${query.status}::text as asked_status, ${query.link}::text as asked_link),
    short as (
      select count(*) <= ${sortedAtMost} as is_short from (select 1 from transactions as one, asked
        where has_updated and asked_link is null and one.partner_id = asked.partner_id and one.kind = asked.kind
          and updated_at >= updated_from and updated_at < updated_before
        limit ${sortedAtMost + 1}) as changed),
    way as (
      select case when asked_link is not null then 'link' when has_updated and is_short then 'updated'
        when asked_status is not null then 'status' else 'created' end as way from asked, short),
    own as not materialized (
      select asked.*, one.id, created_at, updated_at, status, external_partner_link_id as link
      from transactions as one, asked
      where one.partner_id = asked.partner_id and one.kind = asked.kind
        and case when has_updated then updated_at >= updated_from and updated_at < updated_before else true end
        and (asked_status is null or status = asked_status)
        and (asked_link is null or external_partner_link_id = asked_link)),
    found as (
      (select id, created_at from own
        where (select way from way) = 'created' and not ascending
          and (created_at, id) < (after_created, after_id) and created_at >= until_created
        order by created_at desc, id desc offset ${query.offset} limit ${query.limit})
      union all
      (select id, created_at from own
        where (select way from way) = 'created' and ascending
          and (created_at, id) > (after_created, after_id) and created_at < until_created
        order by created_at, id offset ${query.offset} limit ${query.limit})
      union all
      (select id, created_at from own
        where (select way from way) = 'status' and not ascending
          and (created_at, id) < (after_created, after_id) and created_at >= until_created and status = asked_status
        order by created_at desc, id desc offset ${query.offset} limit ${query.limit})
      union all
      (select id, created_at from own
        where (select way from way) = 'status' and ascending
          and (created_at, id) > (after_created, after_id) and created_at < until_created and status = asked_status
        order by created_at, id offset ${query.offset} limit ${query.limit})
      union all
      (select id, created_at from own
        where (select way from way) = 'link' and not ascending
          and (created_at, id) < (after_created, after_id) and created_at >= until_created and link = asked_link
        order by created_at desc, id desc offset ${query.offset} limit ${query.limit})
      union all
      (select id, created_at from own
        where (select way from way) = 'link' and ascending
          and (created_at, id) > (after_created, after_id) and created_at < until_created and link = asked_link
        order by created_at, id offset ${query.offset} limit ${query.limit})
      union all
      (select id, created_at from (
          select id, created_at, ascending from own
          where (select way from way) = 'updated' and updated_at >= updated_from and updated_at < updated_before and case
            when ascending then (created_at, id) > (after_created, after_id) and created_at < until_created
            else (created_at, id) < (after_created, after_id) and created_at >= until_created end
          offset 0) as few
        order by case when ascending then created_at end, case when ascending then id end, created_at desc, id desc
        offset ${query.offset} limit ${query.limit}))
    select transactions.*, found.created_at::text as created_text, quote, wrapped as wrapped_key,
      (select history from transaction_histories where transaction_id = transactions.id) as history,
      (select refunds from transaction_refunds where transaction_id = transactions.id) as refunds
    from found join transactions on transactions.id = found.id
    join quotes on quotes.transaction_id = transactions.id and quotes.number = quote_number
    join data_keys on data_keys.id = data_key_id
    order by found.created_at, found.id`
