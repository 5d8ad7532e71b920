-- What identifies a statement of a bank and a booking (src/rails/iso20022). A statement is its account and number, or its account
-- and period; its own id identifies nothing. Each continues another one: `previous_id`, unless it is the first that came.
set local lock_timeout = '5s';

-- Its name was made by the server.
do $$
declare
  constraint_name text;
begin
  select conname into strict constraint_name from pg_constraint
  where conrelid = 'iso20022_statements'::regclass and contype = 'u';
  execute format('alter table iso20022_statements drop constraint %I', constraint_name);
end $$;

alter table iso20022_statements
  add column period text not null default '',
  add column previous_id bigint references iso20022_statements;
create index iso20022_statements_number on iso20022_statements (rail, account, asset, number, page);
create index iso20022_statements_previous on iso20022_statements (previous_id) where previous_id is not null;

update iso20022_statements as later set previous_id = earlier.before
from (
  select id, lag(id) over (partition by rail, account, asset order by closing_on, number, page, id) as before
  from iso20022_statements) as earlier
where later.id = earlier.id and earlier.before is not null;

-- What messages about one booking have in common besides its references: the value date, and the payer's account and name as keyed
-- hashes. `sightings`: which kind of message reported it as booked, and on which day (`camt.054 2026-12-05;`). `doubt`: it may be one
-- that is known, though the two messages contradict each other. `has_text`: it came with a text, so without our reference in it there is none.
-- `payer` has what people wrote, too.
alter table iso20022_bookings
  add column value_on text not null default '',
  add column payer_hash text,
  add column name_hash text,
  add column has_text boolean not null default false,
  add column sightings text not null default '',
  add column doubt text check (doubt in ('double', 'other_amount'));
create index iso20022_bookings_amount on iso20022_bookings (rail, account, amount);
drop index iso20022_bookings_content;
alter table iso20022_bookings alter column content drop not null;

-- A person's order about a file, which whoever follows the bank carries out: to read it again, or to accept it as it is.
alter table iso20022_files
  drop constraint iso20022_files_state_check,
  add constraint iso20022_files_state_check check (state in ('taken', 'refused', 'accepted')),
  add column wanted text check (wanted in ('accept', 'read')),
  add column wanted_by text,
  add column wanted_reason text;
drop index iso20022_files_taken;
create unique index iso20022_files_taken on iso20022_files (rail, checksum) where state in ('taken', 'accepted');
create index iso20022_files_wanted on iso20022_files (rail) where wanted is not null;

-- One statement of a file: taken, refused (`cause` and `why`), ignored because its account is not ours, or accepted by a person.
create table iso20022_parts (
  file_id bigint not null references iso20022_files,
  position integer not null,
  account text not null,
  asset text,
  number bigint,
  entries integer not null,
  state text not null check (state in ('taken', 'refused', 'ignored', 'accepted')),
  cause text,
  why text not null default '',
  -- What it is about, in the smallest unit of the account's asset.
  difference numeric(38, 0),
  primary key (file_id, position)
);
