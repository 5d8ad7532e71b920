-- What differs between the books and the statements of those who hold our money, and the days that are closed.
set local lock_timeout = '5s';

-- A difference that is not only on its way. `key`: the rail's payment, or the key of the prepared payment; empty where only the
-- balance differs. `amount`: what the statement says more than the books; below zero what it says less. `cleared`: a later
-- comparison no longer found it; `resolved`: a person explained it.
create table breaks (
  id bigint primary key,
  account text not null,
  asset text not null references assets,
  kind text not null check (kind in ('not_booked', 'not_stated', 'amount', 'balance')),
  key text not null,
  amount numeric(38, 0) not null check (amount <> 0),
  cause text not null check (cause in ('event_missing', 'event_not_settled', 'payout_not_settled', 'not_on_statement', 'other_amount', 'no_statement', 'unexplained')),
  owner text not null check (owner in ('finance', 'operations')),
  state text not null default 'open' check (state in ('open', 'cleared', 'resolved')),
  found_at timestamptz not null,
  confirmed_at timestamptz not null,
  ended_at timestamptz,
  resolved_by text,
  reason text,
  check ((state = 'open') = (ended_at is null)),
  check ((state = 'resolved') = (resolved_by is not null and reason is not null))
);
create unique index breaks_open on breaks (account, asset, kind, key) where state = 'open';

-- A closed day (UTC, business time), with its profit and loss as it was then. Its figures never change: what is booked later belongs to the day that is closed next.
create table closed_days (
  day date primary key,
  closed_at timestamptz not null,
  closed_by text not null,
  breaks_open integer not null check (breaks_open >= 0),
  profit jsonb not null
);

-- The balance of each account at the end of a closed day, debits positive. An account without a row had none.
create table closed_balances (
  day date not null references closed_days,
  account text not null,
  asset text not null references assets,
  balance numeric(38, 0) not null,
  primary key (day, account, asset)
);

-- Days are read by the time of their entries. Entries arrive almost in order, so a few pages cover a day.
create index entries_at on entries using brin (at);
