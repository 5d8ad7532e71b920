-- What the bookings of a statement come to is kept with it: a look for differences between the two added up all bookings of all statements.
set local lock_timeout = '5s';

alter table iso20022_statements add column held numeric(38, 0) not null default 0;

create function iso20022_hold() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' then
    update iso20022_statements as one set held = held + moved
    from (
      select statement_id, sum(case direction when 'in' then amount else -amount end) as moved from now_held
      where gap is null and state = 'booked' and statement_id is not null group by statement_id) as held_now
    where one.id = statement_id;
  elsif tg_op = 'DELETE' then
    update iso20022_statements as one set held = held - moved
    from (
      select statement_id, sum(case direction when 'in' then amount else -amount end) as moved from was_held
      where gap is null and state = 'booked' and statement_id is not null group by statement_id) as held_before
    where one.id = statement_id;
  else
    update iso20022_statements as one set held = held + moved
    from (
      select statement_id, sum(moved) as moved
      from (
        select statement_id, gap, state, case direction when 'in' then amount else -amount end as moved from now_held
        union all
        select statement_id, gap, state, case direction when 'in' then -amount else amount end from was_held) as changes
      where gap is null and state = 'booked' and statement_id is not null group by statement_id) as change
    where one.id = statement_id and moved <> 0;
  end if;
  return null;
end $$;

create trigger iso20022_bookings_held_more after insert on iso20022_bookings
  referencing new table as now_held for each statement execute function iso20022_hold();
create trigger iso20022_bookings_held_less after delete on iso20022_bookings
  referencing old table as was_held for each statement execute function iso20022_hold();
create trigger iso20022_bookings_held_otherwise after update on iso20022_bookings
  referencing old table as was_held new table as now_held for each statement execute function iso20022_hold();

update iso20022_statements as one set held = moved
from (
  select statement_id, sum(case direction when 'in' then amount else -amount end) as moved from iso20022_bookings
  where gap is null and state = 'booked' and statement_id is not null group by statement_id) as bookings
where one.id = statement_id;

do $$
begin
  if (select coalesce(sum(held), 0) from iso20022_statements) <> (
    select coalesce(sum(case direction when 'in' then amount else -amount end), 0) from iso20022_bookings
    where gap is null and state = 'booked' and statement_id is not null)
  then raise exception 'Statements do not hold what their bookings come to.';
  end if;
end $$;
