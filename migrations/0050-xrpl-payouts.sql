-- Payouts on the XRP Ledger (src/rails/xrpl/sending).
set local lock_timeout = '5s';

-- A payout that was submitted. It gets the next sequence number of the account when it is its turn; every attempt at it has this
-- number, so that the ledger takes one at most. The recipient is forgotten once the payment is final.
create table xrpl_payments (
  id bigint generated always as identity primary key,
  network text not null references xrpl_accounts,
  plan_key text not null,
  recipient text,
  tag bigint check (tag between 0 and 4294967295),
  amount numeric(38, 0) not null check (amount > 0),
  sequence bigint check (sequence > 0),
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'done', 'never')),
  -- The hash and the fee of what the ledger took.
  hash text,
  fee numeric(38, 0) check (fee >= 0),
  unique (network, plan_key),
  unique (network, sequence),
  check (state = 'waiting' or state = 'never' or sequence is not null),
  check (state <> 'done' or (hash is not null and fee is not null))
);
create index xrpl_payments_open on xrpl_payments (network, id) where state in ('waiting', 'sent');

-- What was signed for a payment, or is about to be: written down before, so that a crash signs the same again. No ledger after
-- `last_ledger` takes it.
create table xrpl_attempts (
  payment_id bigint not null references xrpl_payments on delete cascade,
  number integer not null check (number > 0),
  last_ledger bigint not null,
  fee numeric(38, 0) not null check (fee > 0),
  hash text,
  raw text,
  primary key (payment_id, number)
);
