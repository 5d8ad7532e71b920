-- Which known booking a new one may be a second report of. Of bookings of before: the one that shares a reference with it, rather one
-- that no statement has.
set local lock_timeout = '5s';

alter table iso20022_bookings add column doubts_id bigint references iso20022_bookings;

update iso20022_bookings as booking set doubts_id = (
  select first.id from iso20022_bookings as first
  where first.rail = booking.rail and first.account = booking.account and first.direction = booking.direction
    and first.id < booking.id and first.state = 'booked'
    and (first.stated_reference <> '' and first.stated_reference = booking.stated_reference
      or first.end_to_end = booking.end_to_end or first.servicer_reference = booking.servicer_reference)
  order by (first.statement_id is null) desc, first.id desc limit 1)
where doubt is not null;

create index iso20022_bookings_doubts on iso20022_bookings (doubts_id) where doubts_id is not null;
