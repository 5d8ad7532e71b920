-- Customers, the partner's transactions, the money that comes in and goes out.
set local lock_timeout = '5s';

-- A person at this operator: one proven e-mail address. Found by a keyed hash; everything personal is encrypted.
create table customers (
  id bigint primary key,
  email_hash bytea not null unique,
  data_key_id bigint not null references data_keys,
  personal bytea not null,
  created_at timestamptz not null
);

-- What one partner passed of one e-mail address. Its id is the `customer_id` that this partner sees.
create table partner_customers (
  id bigint primary key,
  partner_id bigint not null references partners,
  email_hash bytea not null,
  customer_id bigint references customers,
  data_key_id bigint not null references data_keys,
  personal bytea not null,
  created_at timestamptz not null,
  unique (partner_id, email_hash)
);

-- `id` is ours and sequential, so that everything that hangs on a transaction lies together; `public_id` is the random one
-- that partners see.
create table transactions (
  id bigint primary key,
  public_id bigint not null unique,
  partner_id bigint not null references partners,
  kind text not null default 'retail' check (kind in ('retail', 'b2b')),
  side text not null check (side in ('buy', 'sell', 'swap')),
  status text not null check (status in ('new', 'waiting_for_customer', 'waiting_for_deposit', 'on_hold', 'exchanging',
    'sending', 'finished', 'refunded', 'expired', 'cancelled', 'failed')),
  status_details text check (status_details in ('confirming', 'kyc_required', 'underpaid', 'overpaid', 'late', 'wrong_asset',
    'payout_unknown', 'address_needed', 'refund_pending', 'review')),
  from_asset text not null references assets,
  to_asset text not null references assets,
  initial_from_asset text references assets,
  initial_expected_from numeric(38, 0),
  expected_from numeric(38, 0) not null check (expected_from > 0),
  expected_to numeric(38, 0) not null check (expected_to > 0),
  from_amount numeric(38, 0) not null default 0 check (from_amount >= 0),
  from_amount_in_eur numeric(38, 0),
  to_amount numeric(38, 0) check (to_amount > 0),
  deposit_method text not null,
  payout_method text not null,
  country text check (country ~ '^[A-Z]{2}$'),
  quote_number integer not null default 1,
  moves integer not null default 0,
  events integer not null default 0,
  errors jsonb not null default '[]',
  terms jsonb not null,
  external_partner_link_id text,
  output_hash text,
  partner_customer_id bigint references partner_customers,
  customer_id bigint references customers,
  data_key_id bigint not null references data_keys,
  personal bytea not null,
  quote_expires_at timestamptz not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
) with (fillfactor = 60);
create index transactions_of_partner on transactions (partner_id, created_at, id);

-- The price a transaction is made at, whole, for ever. A re-quote is the next number.
create table quotes (
  transaction_id bigint not null references transactions,
  number integer not null,
  valid_until timestamptz not null,
  quote json not null,
  primary key (transaction_id, number)
);

-- What happened to a transaction, in order. A fact moves it once.
create table moves (
  transaction_id bigint not null references transactions,
  fact text not null,
  number integer not null,
  status text not null,
  reason text,
  at timestamptz not null,
  primary key (transaction_id, fact)
);

-- Where we told a customer to pay: our own reference on a rail. Facts are matched against it.
create table deposit_instructions (
  id bigint generated always as identity primary key,
  transaction_id bigint not null references transactions,
  rail text not null,
  reference text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  created_at timestamptz not null,
  unique (rail, reference)
);
create index deposit_instructions_transaction on deposit_instructions (transaction_id);

-- What a rail told us, once per its own id. `body` has no personal data: a payer's name is kept encrypted beside it.
create table facts (
  id bigint generated always as identity primary key,
  rail text not null,
  fact_key text not null,
  kind text not null,
  reference text not null,
  body json not null,
  received_at timestamptz not null,
  unique (rail, fact_key)
);

create table deposits (
  id bigint primary key,
  transaction_id bigint references transactions,
  fact_id bigint not null unique references facts,
  rail text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  state text not null check (state in ('seen', 'final', 'reversed')),
  at timestamptz not null
);
create index deposits_transaction on deposits (transaction_id);

-- What is about to leave: bytes, nonce, batch. Committed before it is tried; `unknown` ends only by the rail's evidence.
create table plans (
  id bigint primary key,
  rail text not null,
  plan_key text not null,
  state text not null check (state in ('planned', 'submitted', 'done', 'never', 'unknown')),
  data_key_id bigint not null references data_keys,
  body bytea not null,
  successor_of bigint references plans,
  evidence json,
  planned_at timestamptz not null,
  ended_at timestamptz,
  unique (rail, plan_key)
) with (fillfactor = 70);

-- Money that we owe to the outside: a payout, or a refund to where the deposit came from.
create table payouts (
  id bigint primary key,
  transaction_id bigint not null references transactions,
  purpose text not null check (purpose in ('payout', 'refund')),
  number integer not null,
  rail text not null,
  place text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  state text not null check (state in ('waiting', 'reserved', 'planned', 'paid', 'failed', 'unknown')),
  plan_id bigint references plans,
  data_key_id bigint not null references data_keys,
  destination bytea not null,
  reason text,
  ordered_at timestamptz not null,
  unique (transaction_id, purpose, number),
  check ((plan_id is null) = (state in ('waiting', 'reserved')))
) with (fillfactor = 70);

-- Browsers in which the e-mail address of a transaction was proven, each known by a token that only that browser holds.
create table checkout_sessions (
  token_hash bytea primary key,
  transaction_id bigint not null references transactions,
  customer_id bigint not null references customers,
  created_at timestamptz not null
);
create index checkout_sessions_age on checkout_sessions (created_at);

-- The last code sent to an e-mail address for a transaction; without a hash it is used up. `expires_at` is of business time.
-- The counts, of real time from `counted_since` on, slow down guessing and letters that nobody asked for: they outlive a
-- code, and stay with the address when the transaction changes to another one.
create table one_time_codes (
  transaction_id bigint not null references transactions,
  email_hash bytea not null,
  code_hash bytea,
  expires_at timestamptz not null,
  tries integer not null default 0,
  wrong integer not null default 0,
  sent integer not null default 1,
  sent_at timestamptz not null,
  counted_since timestamptz not null,
  primary key (transaction_id, email_hash)
);
create index one_time_codes_email on one_time_codes (email_hash);
