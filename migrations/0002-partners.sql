-- Those who integrate the interface, and the keys they hold.
set local lock_timeout = '5s';

create table partners (
  id bigint primary key,
  name text not null,
  settings jsonb not null default '{}',
  widget_secret bytea not null,
  webhook_secret bytea not null,
  created_at timestamptz not null
);

-- A key is stored as a hash; `hint` is its last four characters, so that people can tell keys apart.
create table api_keys (
  id bigint primary key,
  partner_id bigint not null references partners,
  kind text not null check (kind in ('public', 'secret')),
  mode text not null check (mode in ('test', 'live')),
  hash bytea not null unique,
  hint text not null,
  label text not null default '',
  allow_ips text[] not null default '{}',
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index api_keys_partner on api_keys (partner_id);

-- The first answer to a POST that carried an Idempotency-Key, encrypted with the key of the person it tells of.
create table idempotent_answers (
  api_key_id bigint not null references api_keys,
  key_hash bytea not null,
  request_hash bytea not null,
  status integer not null,
  data_key_id bigint not null references data_keys,
  answer bytea not null,
  answered_at timestamptz not null,
  primary key (api_key_id, key_hash)
);
create index idempotent_answers_age on idempotent_answers (answered_at);

create table operators (
  id bigint primary key,
  email text not null unique,
  password_hash text not null,
  created_at timestamptz not null
);
