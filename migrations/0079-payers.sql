-- Bank transfers are compared with the customer whose order they pay: third-party money is held, or goes back, by the policy `payers`.
set local lock_timeout = '5s';

-- One row a deposit that was compared. `score`: how alike the names are, in thousandths; null where one of them is not known.
-- `account_hash`: a keyed hash of the payer's account, to know it again. `personal`: both names and the account, sealed with the key of
-- the transaction. `accepted_at`: when staff released what did not match.
create table payer_checks (
  id bigint primary key,
  deposit_id bigint not null unique references deposits deferrable initially deferred,
  transaction_id bigint not null references transactions,
  customer_id bigint references customers,
  account_hash bytea,
  score integer check (score between 0 and 1000),
  outcome text not null check (outcome in ('match', 'known_account', 'not_compared', 'accept', 'hold', 'return')),
  policy_version integer not null,
  personal bytea not null,
  checked_at timestamptz not null,
  accepted_at timestamptz
);
create index payer_checks_of_transaction on payer_checks (transaction_id);
create index payer_checks_of_account on payer_checks (account_hash) where account_hash is not null;
