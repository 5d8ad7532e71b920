-- The rest of the sandbox's world of money: a bank, and coins that come in. The exchange never reads these tables either.
set local lock_timeout = '5s';

-- Payments at a page: by card, by a wallet, at a bank's page. `rail` says whose page it was.
alter table sandbox.card_payments add column rail text not null default 'sandbox-card';

-- What the exchange's own accounts at the bank hold, by currency.
create table sandbox.bank_balances (
  asset text primary key,
  balance numeric(38, 0) not null check (balance >= 0)
) with (fillfactor = 50);

-- Transfers in and out of the exchange's accounts. `reference` is what the bank finds a payment in by; `end_to_end_id` is
-- unique, which is why one plan pays once. `account` is the one of ours that was paid to.
create table sandbox.bank_payments (
  id bigint generated always as identity primary key,
  direction text not null check (direction in ('in', 'out')),
  account text,
  asset text not null,
  amount numeric(38, 0) not null check (amount > 0),
  remittance text not null,
  reference text,
  end_to_end_id text unique,
  state text not null check (state in ('booked', 'recalled', 'returned')),
  at timestamptz not null,
  check ((direction = 'out') = (end_to_end_id is not null)),
  check ((direction = 'in') = (account is not null))
);
create index bank_payments_for on sandbox.bank_payments (reference) where reference is not null;

-- Addresses, and memos at the hot address, that a wallet watches: what is sent there is the exchange's.
create table sandbox.deposit_addresses (
  chain text not null,
  address text not null,
  memo text not null default '',
  primary key (chain, address, memo)
);

-- `reference`: to what of the wallet a transfer goes; null when it goes to others. From `final_block` on it is there for good,
-- unless it is dropped all the same. `returns`: the nonce of the wallet's own transfer that this one sends back.
alter table sandbox.transfers
  add column reference text,
  add column final_block bigint,
  add column returns text,
  add column is_dropped boolean not null default false;
drop index sandbox.transfers_to;
create index transfers_for on sandbox.transfers (chain, reference) where reference is not null;
create index transfers_to_confirm on sandbox.transfers (chain, asset, final_block) where final_block is not null;

-- A callback about a transfer is owed as long as the transfer stands.
alter table sandbox.callbacks add column transfer_id bigint;
create index callbacks_of_transfer on sandbox.callbacks (transfer_id) where transfer_id is not null;
