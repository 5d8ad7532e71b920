-- The books. Entries and postings are written once and mirrored, never changed: the service's role cannot (grants.sql).
set local lock_timeout = '5s';

-- Every amount anywhere refers to one of these. The catalogue fills it; decimals never change once written.
create table assets (
  id text primary key,
  ticker text not null,
  network text not null,
  decimals integer not null check (decimals between 0 and 18),
  unique (ticker, network)
);

-- `kind` and `ref` say what was booked, once: (deposit, 7) cannot be booked again. `digest` is a keyed hash over the entry
-- and its postings, made by the service, so that `verify` sees a change made behind its back. `xid` is the database
-- transaction that wrote it: folding balances and, later, sealing take committed entries in that order, below the oldest
-- one that still runs.
create table entries (
  id bigint primary key,
  transaction_id bigint,
  kind text not null,
  ref bigint not null,
  at timestamptz not null,
  digest bytea not null,
  xid xid8 not null default pg_current_xact_id()
);
create unique index entries_once on entries (transaction_id, kind, ref) nulls not distinct;
create index entries_recent on entries (xid);

-- One amount of one asset, from the credited to the debited account: a posting balances by itself, so every entry does.
create table postings (
  entry_id bigint not null references entries,
  line smallint not null,
  debit text not null,
  credit text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  primary key (entry_id, line),
  check (debit <> credit)
);

-- What may still be ordered to be paid from one place: `covered` is what it held when last counted, less what was paid out
-- since; `reserved` is promised to payouts. One row a place and asset, locked by whoever decides.
create table reserves (
  place text not null,
  asset text not null references assets,
  covered numeric(38, 0) not null,
  reserved numeric(38, 0) not null check (reserved >= 0),
  primary key (place, asset)
) with (fillfactor = 50);

-- Folded balances of accounts that many transactions touch: the sum of all postings whose entries were written by database
-- transactions below `below`. What is newer is added when a balance is read.
create table folded_balances (
  account text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null,
  primary key (account, asset)
);
create table fold_state (
  only_row boolean primary key default true check (only_row),
  below xid8 not null default '0'
);
insert into fold_state default values;
