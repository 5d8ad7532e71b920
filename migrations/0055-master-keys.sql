set local lock_timeout = '5s';

-- Master keys after a rotation, the first one being generation 0. `sealed`: an older key, encrypted with the newest one; null for the
-- newest. `for_previous`: the newest key, encrypted with the one before it, so that processes which still have that file can read
-- what is written; null once the rotation has ended.
create table master_keys (
  generation integer primary key check (generation between 0 and 255),
  mark bytea not null unique,
  sealed bytea,
  for_previous bytea,
  at timestamptz not null
);
