-- What a statement opens differently by may be the debit of a payment of ours that no statement has: of the days from its file on, for three
-- weeks (src/rails/iso20022/booking/agree.ts), if the file left before the statement came. Then nothing is booked by itself.
set local lock_timeout = '5s';

create index iso20022_payments_undebited on iso20022_payments (rail, asset) where debited_by is null and state in ('sent', 'done');

create or replace view iso20022_unsettled_gaps as
with gaps as (
  select one.id as statement_id, one.rail, one.account, one.asset, before.closing_on as after_on, one.closing_on as before_on, one.file_id,
    coalesce(one.opening - before.closing + one.overlap + before.overlap_after, 0)::numeric(38, 0) as moved,
    lump_id, coalesce(lumps.moved, 0)::numeric(38, 0) as lumps,
    one.shares_bookings or before.shares_bookings as shares_bookings
  from iso20022_statements as one
  left join iso20022_statements as before on before.id = one.previous_id and not before.is_in_opening
  cross join lateral (
    select min(id) as lump_id, sum(case direction when 'in' then amount else -amount end) as moved
    from iso20022_bookings where statement_id = one.id and gap = 'lump' and state = 'booked') as lumps)
select statement_id, rail, account, asset, moved, lump_id, lumps,
  shares_bookings is not true and not is_notified and payments is null as is_clear, is_pending, payments
from gaps cross join lateral (
  -- Messages date one booking up to 7 days apart, a pending one up to 21. One that was booked without a day always counts. A pending one
  -- may never be booked: it takes nothing back, and has the day when it was reported.
  select coalesce(bool_or(
      state = 'booked' and (day is null or day between (after_on - 7)::text and before_on::text)), false) as is_notified,
    coalesce(bool_or(state = 'pending'
      and coalesce(day, (reported_at at time zone 'UTC')::date::text) between (after_on - 21)::text and before_on::text), false) as is_pending
  from iso20022_bookings as booking
  cross join lateral (select nullif(booked_on, '') as day) as dated
  where booking.rail = gaps.rail and booking.account = gaps.account and booking.asset = gaps.asset
    and booking.statement_id is null and booking.state <> 'withdrawn') as seen
cross join lateral (
  select string_agg(key, ', ' order by key) as payments
  from iso20022_payments as payment
  join iso20022_batches as batch on batch.id = batch_id
  join iso20022_files as file on file.id = gaps.file_id and sent_at < received_at
  where payment.rail = gaps.rail and payment.asset = gaps.asset and payment.state in ('sent', 'done') and debited_by is null
    and (sent_at at time zone 'UTC')::date between after_on - 21 and before_on) as undebited
where (moved <> 0 or lump_id is not null)
  and (moved <> lumps or shares_bookings is true or is_notified or payments is not null);
