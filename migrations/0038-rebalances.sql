-- Rebalances: transfers between our own custody accounts, to listed destinations only.
set local lock_timeout = '5s';

-- `source` and `account` are custody accounts, `destination` is the name of the listed destination that `account` belongs to.
-- `reference`: what the transfer carries, so that both statements can be matched. `sent_proof` and `arrived_proof`: the hash or the
-- statement line that an operator saw. `fee`: what sending took from `source` in addition, in `fee_asset`.
create table rebalances (
  id bigint primary key,
  source text not null,
  destination text not null,
  account text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  reference text not null unique,
  state text not null check (state in ('proposed', 'approved', 'sent', 'settled', 'canceled')),
  reason text not null,
  outcome text,
  proposed_by text not null,
  proposed_at timestamptz not null,
  sent_proof text,
  fee_asset text references assets,
  fee numeric(38, 0) check (fee > 0),
  arrived_proof text,
  ended_at timestamptz,
  check (source <> account),
  check ((fee is null) = (fee_asset is null))
);
create unique index rebalances_open on rebalances (source, account, asset) where state in ('proposed', 'approved', 'sent');

-- Which operators approved a rebalance, each once: two different ones must.
create table rebalance_approvals (
  rebalance_id bigint not null references rebalances,
  operator_id bigint not null references operators,
  approved_at timestamptz not null,
  primary key (rebalance_id, operator_id)
);
