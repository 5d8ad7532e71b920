-- The XRP Ledger, as its rail follows it (src/rails/xrpl). Nothing here is a person's: senders are not stored.
set local lock_timeout = '5s';

-- The account that is followed, by one process at a time. Every ledger from `first_ledger` on and below `next_ledger` has been read,
-- and both nodes agree on it. `halted` says why nothing is credited.
create table xrpl_accounts (
  network text primary key,
  account text not null,
  first_ledger bigint check (first_ledger > 0),
  next_ledger bigint check (next_ledger > first_ledger),
  -- The balance after `first_ledger`.
  opening numeric(38, 0) not null default 0 check (opening >= 0),
  holder text,
  fence bigint not null default 0,
  lease_until timestamptz,
  halted text,
  -- Since when, in real time, the nodes have not agreed.
  unsure_since timestamptz
);

-- The destination tag of each order. A tag is never used twice, so that a late payment still finds its order.
create table xrpl_tags (
  tag bigint generated always as identity (start with 100001 maxvalue 4294967295) primary key,
  network text not null references xrpl_accounts,
  order_id bigint not null,
  unique (network, order_id)
);

-- A payment to the account. `seen`: one node reports it. `reversed`: the nodes agreed that it is not in its ledger.
create table xrpl_arrivals (
  network text not null references xrpl_accounts,
  hash text not null,
  ledger bigint not null,
  tag bigint check (tag between 0 and 4294967295),
  amount numeric(38, 0) not null check (amount > 0),
  state text not null check (state in ('seen', 'final', 'reversed')),
  primary key (network, hash)
);
create index xrpl_arrivals_by_tag on xrpl_arrivals (network, tag, ledger);
create index xrpl_arrivals_open on xrpl_arrivals (network) where state = 'seen';
