-- Passkeys of partners' people: each signs its owner in, and is asked for instead of a password once there is one.
set local lock_timeout = '5s';

create table portal_passkeys (
  id bigint primary key,
  user_id bigint not null references portal_users,
  name text not null,
  public_key bytea not null,
  credential bytea not null unique,
  site text not null,
  added_at timestamptz not null,
  ended_at timestamptz
);
create index portal_passkeys_of on portal_passkeys (user_id) where ended_at is null;
