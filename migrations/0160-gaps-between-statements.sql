-- What lies between two statements that do not continue each other, kept under the later one: bookings that were notified and that no
-- statement has (`known`), or one amount that stands for what nobody knows (`lump`).
set local lock_timeout = '5s';

alter table iso20022_bookings add column gap text check (gap is null or gap in ('known', 'lump') and statement_id is not null);

-- What it moved and another one has, too: a person has accepted that their days overlap.
alter table iso20022_statements add column overlap numeric(38, 0) not null default 0;

create index iso20022_bookings_statement on iso20022_bookings (statement_id) where statement_id is not null;
