set local lock_timeout = '5s';

-- What orders with a locked price may add up to, for a partner, a customer and a coin. `cents` (of a euro) never falls by itself: it is
-- at least what the open locks add up to, and is counted again, under the row's lock, when it would exceed `cap`. A row goes
-- when the last lock it counts, at `open_until`, is over.
create table open_lock_totals (
  subject text primary key,
  cents numeric(38, 0) not null check (cents >= 0),
  cap numeric(38, 0) not null,
  open_until timestamptz not null
) with (fillfactor = 50);

-- The locks that are open: what is counted.
create index transactions_open_locks on transactions (quote_expires_at)
  where status in ('new', 'waiting_for_customer', 'waiting_for_deposit');
