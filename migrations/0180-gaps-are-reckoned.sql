-- What lies between two statements that do not continue each other is reckoned again whenever something comes: bookings that were notified
-- of the days between them, and that no statement has, are never tied to it, and where there are some, nothing is booked by itself.
set local lock_timeout = '5s';

alter table iso20022_statements
  -- What it moved and later ones have, too; `overlap` is what earlier ones have.
  add column overlap_after numeric(38, 0) not null default 0,
  -- Another one has some of its bookings, too, or had: what lies before and after it is not certain.
  add column shares_bookings boolean not null default false,
  -- It is older than the first one that was booked: what it says is in the opening balance.
  add column is_in_opening boolean not null default false;

update iso20022_statements set shares_bookings = true where overlap <> 0;

update iso20022_bookings set statement_id = null, gap = null where gap = 'known';

-- What decided money an acceptance of the file takes back.
alter table iso20022_parts add column takes_back text not null default '';

create index iso20022_bookings_lumps on iso20022_bookings (statement_id) where gap = 'lump';
create index iso20022_bookings_unstated on iso20022_bookings (rail, account, asset) where statement_id is null and state <> 'withdrawn';

-- Statements that open differently from those that they continue, where lumps do not come to the difference or it is not clear whose it is:
-- bookings overlap, or no statement has one that was reported of those days, their ends included.
create view iso20022_unsettled_gaps as
with gaps as (
  select one.id as statement_id, one.rail, one.account, one.asset, before.closing_on as after_on, one.closing_on as before_on,
    coalesce(one.opening - before.closing + one.overlap + before.overlap_after, 0)::numeric(38, 0) as moved,
    lump_id, coalesce(lumps.moved, 0)::numeric(38, 0) as lumps,
    one.shares_bookings or before.shares_bookings as shares_bookings
  from iso20022_statements as one
  left join iso20022_statements as before on before.id = one.previous_id and not before.is_in_opening
  cross join lateral (
    select min(id) as lump_id, sum(case direction when 'in' then amount else -amount end) as moved
    from iso20022_bookings where statement_id = one.id and gap = 'lump' and state = 'booked') as lumps)
select statement_id, rail, account, asset, moved, lump_id, lumps, is_clear, is_pending
from gaps cross join lateral (
  -- Messages date one booking up to 7 days apart, a pending one up to 21 (src/rails/iso20022/booking/agree.ts). One that was booked
  -- without a day always counts. A pending one may never be booked: it takes nothing back, and has the day when it was reported.
  select shares_bookings is not true and not coalesce(bool_or(
      state = 'booked' and (day is null or day between (after_on - 7)::text and before_on::text)), false) as is_clear,
    coalesce(bool_or(state = 'pending'
      and coalesce(day, (reported_at at time zone 'UTC')::date::text) between (after_on - 21)::text and before_on::text), false) as is_pending
  from iso20022_bookings as booking
  cross join lateral (select nullif(booked_on, '') as day) as dated
  where booking.rail = gaps.rail and booking.account = gaps.account and booking.asset = gaps.asset
    and booking.statement_id is null and booking.state <> 'withdrawn') as seen
where (moved <> 0 or lump_id is not null) and (moved <> lumps or not is_clear);
