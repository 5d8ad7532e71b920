-- What the orders of an account came to in 30 days, in euro cents, as of a day: price lists may depend on it.
set local lock_timeout = '5s';
alter table partners
  add column volume_cents numeric(38, 0) not null default 0,
  add column volume_on date;
