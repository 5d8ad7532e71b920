-- The ground floor: time, leadership, work, keys of persons, who changed what.
set local lock_timeout = '5s';

-- Business time is real time plus this offset (zero in live mode; it only grows). `version` rises with every change that
-- running processes have to learn of: partners, keys, features, endpoints, the clock.
create table service_state (
  only_row boolean primary key default true check (only_row),
  clock_offset_ms bigint not null default 0 check (clock_offset_ms >= 0),
  version bigint not null default 0,
  -- Stands for the master key that everything personal is wrapped with, and tells nothing about it.
  key_mark bytea
);
insert into service_state default values;

-- Ids of rows that refer to each other inside one atomic block. A process takes a thousand at a time, so that it can write all
-- those rows without waiting for the database to name them.
create sequence row_ids as bigint increment by 1000;

-- Who leads a role that one process at a time may have. The fence rises with every new holder.
create table leases (
  name text primary key,
  holder text not null,
  fence bigint not null,
  until timestamptz not null
);

-- Work to be done. A row is written in the same atomic block as the state that asks for it, and deleted in the block that
-- does it. `fence` rises with every claim: who lost its lease can write nothing. `timebase` says by which clock it is due.
create table jobs (
  id bigint generated always as identity primary key,
  kind text not null,
  key text not null,
  timebase text not null check (timebase in ('business', 'real')),
  run_at timestamptz not null,
  attempts integer not null default 0,
  fence bigint not null default 0,
  lease_until timestamptz,
  last_error text,
  unique (kind, key)
) with (fillfactor = 70);
create index jobs_due on jobs (timebase, run_at, id);

-- One key per person (or per transaction of someone not yet known), wrapped by the master key. Erasing the row's key erases
-- the person everywhere; `owner` groups the keys of one customer once the e-mail address is proven.
create table data_keys (
  id bigint primary key,
  wrapped bytea,
  owner bigint,
  erased_at timestamptz,
  check ((wrapped is null) = (erased_at is not null))
);
create index data_keys_owner on data_keys (owner) where owner is not null;

create table audit (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor text not null,
  action text not null,
  subject text not null,
  before jsonb,
  after jsonb
);
