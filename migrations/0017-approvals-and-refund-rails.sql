-- Payments at a page that are paid back by whoever took them. The exchange never reads these tables.
set local lock_timeout = '5s';

-- What of a payment is paid back or about to be; it never passes what was captured.
alter table sandbox.card_payments
  add column refunded numeric(38, 0) not null default 0 check (refunded between 0 and amount);

-- One row a plan: `plan_key` is unique, which is why one plan pays back once. `refused`: there was not that much left to pay
-- back. Until `settles_at` its state is on the way; `word` is what is said of it until then.
create table sandbox.page_refunds (
  id bigint generated always as identity primary key,
  rail text not null,
  plan_key text not null unique,
  payment_id bigint not null,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  state text not null check (state in ('taken', 'refused', 'returned')),
  word text not null,
  settles_at timestamptz not null
);

-- The personal tokens of operators, by which the command line knows who acts. Only the hash is kept. Times are real.
create table operator_tokens (
  id bigint primary key,
  operator_id bigint not null references operators,
  hash text not null unique,
  hint text not null,
  created_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);
create index operator_tokens_of on operator_tokens (operator_id);

-- Who has approved a payout above the limit, each operator once. It leaves when enough of them are different.
create table payout_approvals (
  payout_id bigint not null references payouts,
  operator_id bigint not null references operators,
  approved_at timestamptz not null,
  primary key (payout_id, operator_id)
);
