set local lock_timeout = '5s';

-- What the sources of a pair come to, written by the process that leads (lease `markets`) and read by all. `version` rises with every
-- write. `confirmed_at` is real time: when it was last found true. `sources`: what each source says and why it is left out. A pair that
-- jumped is halted until `halted_until`. Rows are updated many times a second, in place.
create table market_books (
  pair text primary key,
  bid text,
  ask text,
  state text not null check (state in ('open', 'stale', 'halted')),
  confirmed_at timestamptz not null,
  halted_until timestamptz,
  sources jsonb not null,
  version bigint not null,
  check ((state = 'stale') = (bid is null) and (bid is null) = (ask is null))
) with (fillfactor = 50);

-- The pairs that an operator has halted, until an operator resumes them. `since` is business time.
create table market_halts (
  pair text primary key,
  since timestamptz not null,
  actor text not null,
  reason text not null
);
