-- What a statement opens differently by, and payments of ours that no statement has (0196): only those of its account count, from the day on
-- when their file was written, which may leave before we know of it. Once a person has resolved the break and all of them are done, what the
-- books have credited for them is no part of the difference, and what is left is booked; each is in the first such difference.
set local lock_timeout = '5s';

-- The account that pays; null for payments that left before this.
alter table iso20022_payments add column account text;

create or replace view iso20022_unsettled_gaps as
with gaps as (
  select one.id as statement_id, one.rail, one.account, one.asset, before.closing_on as after_on, one.closing_on as before_on, one.file_id,
    coalesce(one.opening - before.closing + one.overlap + before.overlap_after, 0)::numeric(38, 0) as difference,
    lump_id, coalesce(lumps.moved, 0)::numeric(38, 0) as lumps,
    one.shares_bookings or before.shares_bookings as shares_bookings
  from iso20022_statements as one
  left join iso20022_statements as before on before.id = one.previous_id and not before.is_in_opening
  cross join lateral (
    select min(id) as lump_id, sum(case direction when 'in' then amount else -amount end) as moved
    from iso20022_bookings where statement_id = one.id and gap = 'lump' and state = 'booked') as lumps
  where lump_id is not null or one.opening - before.closing + one.overlap + before.overlap_after <> 0),
undebited as (
  select statement_id, gaps.rail, key, payment.amount, bool_and(payment.state = 'done') over (partition by statement_id) and exists (
      select from breaks where breaks.account = gaps.rail and breaks.asset = gaps.asset and breaks.state = 'resolved'
        and breaks.key = 'statement ' || gaps.account || ' opens ' || statement_id and breaks.amount = difference) as is_credited
  from gaps
  join iso20022_payments as payment on payment.rail = gaps.rail and payment.asset = gaps.asset and payment.state in ('sent', 'done')
    and debited_by is null and (payment.account is null or payment.account = gaps.account)
  join iso20022_batches as batch on batch.id = batch_id and (batch.created_at at time zone 'UTC')::date <= before_on
    and coalesce((sent_at at time zone 'UTC')::date, before_on) >= after_on - 21
  join iso20022_files as file on file.id = gaps.file_id and batch.created_at < received_at),
credited as (select distinct on (rail, key) statement_id, rail, key, amount from undebited where is_credited order by rail, key, statement_id)
select statement_id, rail, account, asset, moved, lump_id, lumps,
  shares_bookings is not true and not is_notified and payments is null as is_clear, is_pending, payments
from gaps cross join lateral (
  -- Messages date one booking up to 7 days apart, a pending one up to 21 (src/rails/iso20022/booking/agree.ts). One that was booked
  -- without a day always counts. A pending one may never be booked: it takes nothing back, and has the day when it was reported.
  select coalesce(bool_or(
      state = 'booked' and (day is null or day between (after_on - 7)::text and before_on::text)), false) as is_notified,
    coalesce(bool_or(state = 'pending'
      and coalesce(day, (reported_at at time zone 'UTC')::date::text) between (after_on - 21)::text and before_on::text), false) as is_pending
  from iso20022_bookings as booking
  cross join lateral (select nullif(booked_on, '') as day) as dated
  where booking.rail = gaps.rail and booking.account = gaps.account and booking.asset = gaps.asset
    and booking.statement_id is null and booking.state <> 'withdrawn') as seen
cross join lateral (
  select string_agg(key, ', ' order by key) as payments from undebited
  where undebited.statement_id = gaps.statement_id
    and not exists (select from credited where credited.rail = undebited.rail and credited.key = undebited.key)) as blocking
cross join lateral (
  select (difference + coalesce(sum(amount), 0))::numeric(38, 0) as moved from credited where credited.statement_id = gaps.statement_id) as rest
where moved <> lumps or shares_bookings is true or is_notified or payments is not null;
