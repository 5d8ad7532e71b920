-- What lies between two statements is decided about by persons: nothing of it is booked by itself (docs/decisions/0096). `known`: what the books
-- have and no statement does, as persons have said, in the gap before `statement_id`; `lump`: the rest of it.
set local lock_timeout = '5s';

drop view iso20022_unsettled_gaps;
alter table iso20022_statements drop column shares_bookings;
alter table iso20022_parts drop column takes_back;
-- It came into days that persons had decided about: what is left of them before it stays decided about.
alter table iso20022_statements add column is_decided boolean not null default false;

drop index iso20022_bookings_lumps;
create index iso20022_bookings_in_gaps on iso20022_bookings (statement_id) where gap is not null;

-- `moved`: what a statement opens differently by from the one that it continues. `lumps`: what is booked of that. `is_decided`: something is, or
-- a number that lacks was skipped, or one of both was so before the statement came in between.
create view iso20022_gaps as
select one.id as statement_id, one.rail, one.account, one.asset, before.closing_on as after_on, one.closing_on as before_on,
  coalesce(one.opening - before.closing + one.overlap + before.overlap_after, 0)::numeric(38, 0) as moved, lump_id,
  coalesce(booked.moved, 0)::numeric(38, 0) as lumps,
  one.is_decided or booked.moved is not null or exists (
    select from iso20022_skips as skip
    where skip.rail = one.rail and skip.account in ('', one.account) and first_number <= one.number
      and last_number >= case when before.number <= one.number then before.number else 0 end
      and (before_on is null or abs(before_on - one.closing_on) < 183)) as is_decided
from iso20022_statements as one
left join iso20022_statements as before on before.id = one.previous_id and not before.is_in_opening
cross join lateral (
  select min(id) filter (where gap = 'lump') as lump_id, sum(case direction when 'in' then amount else -amount end) as moved
  from iso20022_bookings where statement_id = one.id and gap is not null and state = 'booked') as booked;

-- What further statements have of a booking that is in one: persons have accepted that their days overlap.
create table iso20022_shared_bookings (
  statement_id bigint not null references iso20022_statements,
  booking_id bigint not null references iso20022_bookings,
  primary key (booking_id, statement_id)
);
