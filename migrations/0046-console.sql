-- Operators sign in at the console: roles, sessions, second factors; notes on orders; looking up customers by parts of an e-mail address.
set local lock_timeout = '5s';

-- What an operator may do follows from the role. `totp_secret` is sealed; `totp_step` is the last time step that a code was used of,
-- so that no code works twice. `failures` counts wrong sign-ins since the last right one.
alter table operators
  add column name text not null default '',
  add column role text not null default 'admin' check (role in ('viewer', 'support', 'finance', 'compliance', 'admin')),
  add column disabled_at timestamptz,
  add column totp_secret bytea,
  add column totp_step bigint,
  add column failures integer not null default 0 check (failures >= 0),
  add column failed_at timestamptz;

-- A browser in which an operator signed in. `hash` is of its cookie. `network` is the first part of the address, `agent` the
-- browser's name. Times are real.
create table operator_sessions (
  id bigint primary key,
  hash text not null unique,
  operator_id bigint not null references operators,
  network text not null,
  agent text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  ended_at timestamptz
);
create index operator_sessions_of on operator_sessions (operator_id) where ended_at is null;

-- What staff wrote about an order, sealed with the key of its transaction: notes may name a person.
create table transaction_notes (
  id bigint primary key,
  transaction_id bigint not null references transactions,
  operator_id bigint not null references operators,
  text bytea not null,
  at timestamptz not null
);
create index transaction_notes_of on transaction_notes (transaction_id);

-- Keyed hashes of every three characters in a row of an e-mail address. Null until somebody had time to make them.
alter table partner_customers add column trigrams bigint[];
-- What has none yet costs nothing.
create index partner_customers_trigrams on partner_customers using gin (trigrams) where trigrams is not null;
create index partner_customers_unread on partner_customers (id) where trigrams is null;

-- The console lists orders of all partners, the newest first; those on hold are few and looked for most.
create index transactions_on_hold on transactions (id) where status = 'on_hold';
create index transactions_by_hash on transactions (left(output_hash, 16)) where output_hash is not null;
