-- The outside world of the sandbox: a card processor, chains and their wallets. The exchange never reads these tables; only
-- the sandbox rails do, each call in its own atomic block, as if it were far away.
set local lock_timeout = '5s';
create schema sandbox;

create table sandbox.card_payments (
  id bigint primary key,
  reference text not null unique,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  merchant_return text not null,
  state text not null check (state in ('open', 'challenge', 'captured', 'declined', 'voided', 'charged_back')),
  attempts integer not null default 0,
  created_at timestamptz not null
);

-- Callbacks that the processor still owes its merchant.
create table sandbox.callbacks (
  id bigint generated always as identity primary key,
  rail text not null,
  body json not null,
  next_at timestamptz not null,
  attempts integer not null default 0
);

create table sandbox.wallets (
  chain text not null,
  address text not null,
  asset text not null,
  balance numeric(38, 0) not null check (balance >= 0),
  primary key (chain, address, asset)
) with (fillfactor = 50);

-- A transfer that a chain has taken. `nonce` is unique for a sender, which is why one plan pays once.
create table sandbox.transfers (
  id bigint generated always as identity primary key,
  chain text not null,
  hash text not null unique,
  sender text not null,
  nonce text not null,
  recipient text not null,
  memo text not null default '',
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  fee_asset text not null,
  fee numeric(38, 0) not null check (fee >= 0),
  block bigint not null,
  unique (chain, sender, nonce)
);
create index transfers_to on sandbox.transfers (chain, recipient);

-- Faults that someone asked for: the next call of a rail behaves as told.
create table sandbox.faults (
  id bigint generated always as identity primary key,
  reference text not null,
  type text not null,
  armed_at timestamptz not null
);
