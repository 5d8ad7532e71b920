-- Profit and loss: what each entry of the ledger was worth to the house, and the prices that days ended with.
set local lock_timeout = '5s';

-- What one entry changed on the accounts of the house in one asset: `change` in the asset's smallest unit, a gain is positive.
-- Everything else is in units of 0.00000001 EUR: `worth`, the change at the market price of that moment, and the columns of the
-- profit and loss. The columns of all assets of an entry sum up to the worths of all of them. Written once, never changed.
create table valuations (
  entry_id bigint not null,
  asset text not null references assets,
  day date not null,
  partner_id bigint references partners,
  change numeric(38, 0) not null,
  worth numeric(38, 0) not null,
  spread numeric(38, 0) not null,
  fees numeric(38, 0) not null,
  method_costs numeric(38, 0) not null,
  network_costs numeric(38, 0) not null,
  hedging numeric(38, 0) not null,
  drift numeric(38, 0) not null,
  primary key (entry_id, asset)
);
-- Days only grow: a few pages cover one.
create index valuations_day on valuations using brin (day);

-- Up to which database transaction all entries are valued.
create table valuation_state (
  only_row boolean primary key default true check (only_row),
  through xid8 not null default '0'
);
insert into valuation_state default values;

-- The price of one whole unit of an asset at the end of a day (UTC), in units of 10^-18 EUR. Written once, so that the figures of
-- past days never change.
create table marks (
  day date not null,
  asset text not null references assets,
  price numeric(38, 0) not null check (price > 0),
  recorded_at timestamptz not null,
  primary key (day, asset)
);

-- Payments that were seen are looked up by payment, to find what is on its way.
create index rail_events_seen on rail_events (rail, payment) where kind = 'deposit_seen';
