-- Hedges: orders of ours at an exchange, written down before they are sent, and what was traded for them.
set local lock_timeout = '5s';

-- An order to buy or sell `amount` of the asset `base` for `quote` at a venue, at `limit_price` (units of `quote` for one of `base`,
-- decimal text) or better. `client_order_id` is ours: the venue repeats it. `venue` is also the custody account. `sent`: it may have
-- reached the venue. `unknown`: the venue was asked and could not say; it is looked for, and never sent again. `filled`: of `amount`.
-- `worth`: in euro cents when it was proposed.
create table hedges (
  id bigint primary key,
  venue text not null,
  client_order_id text not null unique,
  venue_order_id text,
  pair text not null,
  side text not null check (side in ('buy', 'sell')),
  base text not null references assets,
  quote text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  limit_price text not null,
  worth bigint not null check (worth >= 0),
  filled numeric(38, 0) not null default 0 check (filled >= 0),
  state text not null check (state in
    ('proposed', 'approved', 'sent', 'partly_filled', 'filled', 'rejected', 'canceled', 'unknown')),
  reason text not null,
  outcome text,
  proposed_by text not null,
  proposed_at timestamptz not null,
  sent_at timestamptz,
  ended_at timestamptz
);
-- One hedge of a pair at a time: what an open one will change is not known yet.
create unique index hedges_open on hedges (venue, pair)
  where state in ('proposed', 'approved', 'sent', 'partly_filled', 'unknown');
create index hedges_pair on hedges (venue, pair);
create index hedges_sent on hedges (sent_at) where sent_at is not null;

-- Which operators approved a hedge, each once.
create table hedge_approvals (
  hedge_id bigint not null references hedges,
  operator text not null,
  approved_at timestamptz not null,
  primary key (hedge_id, operator)
);

-- What was traded for a hedge, once for each fill of the venue; `id` is the `ref` of its entry. Amounts are as booked, in smallest
-- units: what we received is rounded down, what we paid is rounded up. `exact`: the amount of `base` as the venue wrote it. A negative
-- fee was paid to us.
create table hedge_fills (
  id bigint primary key,
  hedge_id bigint not null references hedges,
  venue text not null,
  fill text not null,
  exact text not null,
  base_amount numeric(38, 0) not null check (base_amount >= 0),
  quote_amount numeric(38, 0) not null check (quote_amount >= 0),
  fee_asset text references assets,
  fee_amount numeric(38, 0),
  at timestamptz not null,
  unique (venue, fill)
);
create index hedge_fills_of on hedge_fills (hedge_id);
