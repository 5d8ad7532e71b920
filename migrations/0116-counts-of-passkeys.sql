set local lock_timeout = '5s';

-- How often each passkey has said that it was used, at its last sign-in; 0 for one that does not count. One that says less has a copy.
create table passkey_counts (
  credential bytea primary key,
  uses bigint not null check (uses >= 0)
);
