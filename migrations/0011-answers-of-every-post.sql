-- Every POST may carry an Idempotency-Key.
set local lock_timeout = '5s';

-- An answer that tells of nobody is sealed with the house's own key instead of a person's.
alter table idempotent_answers alter column data_key_id drop not null;

-- Work that a request with an Idempotency-Key has begun and that is not one atomic block: as long as its lease lasts (real
-- time, prolonged while the work goes on), the key is taken. What a process leaves here when it dies is free after that.
create table idempotent_work (
  api_key_id bigint not null references api_keys,
  key_hash bytea not null,
  fence bigint not null,
  lease_until timestamptz not null,
  primary key (api_key_id, key_hash)
);
