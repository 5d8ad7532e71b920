-- What the signer refuses is asked again later, and keeps back nothing else (src/rails/chain).
set local lock_timeout = '5s';

-- A payout on a chain that could not be sent: why, and when it is tried again. Removed once it is sent.
create table chain_refusals (
  network text not null,
  plan_key text not null,
  code text not null,
  message text not null,
  refused_until timestamptz not null,
  primary key (network, plan_key)
);
