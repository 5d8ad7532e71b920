-- Work that survives its process, lists that page, and limits that hold over several processes.
set local lock_timeout = '5s';

-- What a request with an Idempotency-Key has done so far, where its work is more than one atomic block: each step is written in
-- the block of its effect, so that the same request, sent again after a crash, does not do it again. `given` is what the step
-- gave, and tells of nobody.
create table idempotent_steps (
  api_key_id bigint not null references api_keys,
  key_hash bytea not null,
  step text not null,
  request_hash bytea not null,
  given json,
  at timestamptz not null,
  primary key (api_key_id, key_hash, step)
);
create index idempotent_steps_by_age on idempotent_steps (at);

-- A page of registered addresses begins where the one before ended.
create index payout_addresses_in_order on payout_addresses (partner_id, created_at, id);

-- What each process has let through since it last said so; the others take it off their own buckets. Each row is read for some
-- seconds and then goes. Nothing is lost with it but a few seconds of counting, so it is not logged.
create unlogged table rate_counts (
  id bigint generated always as identity primary key,
  process bigint not null,
  counts json not null,
  at timestamptz not null default clock_timestamp()
);
