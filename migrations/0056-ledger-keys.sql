set local lock_timeout = '5s';

-- Keys of the ledger's digests after a rotation, encrypted with the master key; the first key, 0, is derived from it. Once a rotation
-- has ended, a digest by an older key proves nothing.
create table ledger_keys (
  id integer primary key check (id between 1 and 255),
  sealed bytea not null,
  begun_at timestamptz not null,
  ended_at timestamptz
);

-- Digests of older entries by a newer key.
create table entry_digests (
  key_id integer not null references ledger_keys,
  entry_id bigint not null references entries,
  digest bytea not null,
  primary key (key_id, entry_id)
);
