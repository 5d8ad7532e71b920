-- A signature is accepted once.
set local lock_timeout = '5s';

create table used_signatures (
  partner_id bigint not null references partners,
  -- SHA-256 of the signature's bytes.
  hash bytea not null check (octet_length(hash) = 32),
  -- Keyed hash of the Idempotency-Key that came with it; null for none.
  idempotency_key bytea,
  -- Real time.
  used_at timestamptz not null,
  primary key (partner_id, hash)
);

create index used_signatures_by_time on used_signatures (used_at);
