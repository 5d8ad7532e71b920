-- Chains of the EVM, as the real rail follows and uses them (src/rails/evm). Nothing here is a person's: addresses are our own,
-- and who is paid stands in the sealed plan only.
set local lock_timeout = '5s';

-- One chain that is followed, by one process at a time: who lost the lease finds another fence and writes nothing. Everything
-- from `first_block` on and below `next_block` has been read. `halted` says why nothing is credited any more, until an operator
-- lets it go on.
create table evm_chains (
  network text primary key,
  chain_id bigint,
  first_block bigint check (first_block >= 0),
  next_block bigint check (next_block > first_block),
  holder text,
  fence bigint not null default 0,
  lease_until timestamptz,
  halted text
);

-- The last blocks that were read: where a chain has left its old way shows in their hashes.
create table evm_blocks (
  network text not null references evm_chains,
  number bigint not null,
  hash text not null,
  primary key (network, number)
);

-- Our addresses, in lower case, on every network alike. `derivation` makes the key; the hot wallet has none.
create table evm_addresses (
  address text primary key,
  derivation bigint unique
);

-- A transfer to an address of ours that was in a block. `position` is that of its log within the transfer, -1 for the coin
-- itself. One that is taken up again after it was reversed is a new inclusion. `gone`: it was final, and is no longer on the
-- chain; it may come back until its absence is as deep as its presence was.
create table evm_arrivals (
  id bigint generated always as identity primary key,
  network text not null references evm_chains,
  hash text not null,
  position integer not null check (position >= -1),
  inclusion integer not null check (inclusion > 0),
  address text not null references evm_addresses,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  block bigint not null,
  state text not null check (state in ('seen', 'final', 'gone', 'reversed')),
  -- It was told as final once, whatever became of it.
  was_final boolean not null default false,
  -- It follows an inclusion that was final and reversed: an operator must say whose it is.
  is_disputed boolean not null default false,
  unique (network, hash, position, inclusion)
);
create index evm_arrivals_at on evm_arrivals (address, network, id);
create index evm_arrivals_open on evm_arrivals (network, block) where state in ('seen', 'gone');
create index evm_arrivals_final on evm_arrivals (network, block) where state = 'final';

-- A wallet that pays out, and the nonce that its next transfer has: given under this row's lock, so that none is left out.
create table evm_wallets (
  network text not null references evm_chains,
  address text not null,
  next_nonce bigint not null check (next_nonce >= 0),
  primary key (network, address)
);

-- What a wallet sends: one nonce, for one plan. What may come of it are its candidates, of which the chain takes one at most.
create table evm_sends (
  id bigint generated always as identity primary key,
  network text not null,
  sender text not null,
  nonce bigint not null,
  plan_key text not null,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount >= 0),
  -- What it may cost at most: gas times the highest price of a candidate.
  most_fee numeric(38, 0) not null check (most_fee >= 0),
  state text not null default 'open' check (state in ('open', 'done', 'never')),
  -- What it cost the wallet where no payout's evidence says so: gas for an address of ours, or a transfer that failed.
  cost numeric(38, 0) check (cost > 0),
  is_charged boolean not null default false,
  unique (network, sender, nonce),
  unique (network, plan_key),
  foreign key (network, sender) references evm_wallets (network, address)
);
create index evm_sends_open on evm_sends (network, sender) where state = 'open';
create index evm_sends_uncharged on evm_sends (network) where cost is not null and not is_charged;

-- The signed transfers of a send, each dearer than the one before. Written before it is broadcast; signing is deterministic, so
-- that the plan, the nonce and the prices are its bytes.
create table evm_candidates (
  send_id bigint not null references evm_sends,
  number integer not null check (number > 0),
  hash text not null unique,
  gas bigint not null check (gas > 0),
  max_fee numeric(38, 0) not null check (max_fee > 0),
  priority_fee numeric(38, 0) not null check (priority_fee >= 0),
  made_at timestamptz not null,
  primary key (send_id, number)
);

-- What the chain took from a hot wallet, by its nonce: that another transfer has a nonce of ours is seen here, or not known.
create table evm_outgoing (
  network text not null references evm_chains,
  sender text not null,
  nonce bigint not null,
  hash text not null,
  block bigint not null,
  primary key (network, sender, nonce)
);
create index evm_outgoing_block on evm_outgoing (network, block);

-- What addresses of transactions hold, to be brought to the hot wallet. A row goes when nothing is left there.
create table evm_purses (
  network text not null references evm_chains,
  address text not null references evm_addresses,
  asset text not null references assets,
  look_at timestamptz not null,
  primary key (network, address, asset)
);
create index evm_purses_due on evm_purses (network, look_at);

-- What is brought from such an address: one transfer at a time. A dearer one has the same nonce and another hash. Of the coin,
-- `amount` is all that leaves the address, gas included.
create table evm_moves (
  id bigint generated always as identity primary key,
  network text not null references evm_chains,
  address text not null references evm_addresses,
  asset text not null references assets,
  amount numeric(38, 0) not null check (amount > 0),
  nonce bigint not null,
  gas bigint not null,
  max_fee numeric(38, 0) not null,
  hashes text[] not null,
  made_at timestamptz not null,
  state text not null default 'open' check (state in ('open', 'done')),
  cost numeric(38, 0) check (cost > 0),
  is_charged boolean not null default false
);
create unique index evm_moves_open on evm_moves (network, address) where state = 'open';
create index evm_moves_uncharged on evm_moves (network) where cost is not null and not is_charged;

-- Transfers between wallets of ours: told to nobody.
create table evm_inner (
  hash text primary key
);
