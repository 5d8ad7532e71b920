-- The chains of Bitcoin and its relatives, as their rail follows and uses them (src/rails/bitcoin). Nothing here is a person's but
-- the outputs of payments that are on their way; those are removed once a payment is buried deep.
set local lock_timeout = '5s';

-- One chain that is followed, by one process at a time. Everything from `first_block` on and below `next_block` has been read;
-- everything up to `final_block` is final. `halted` says why nothing is credited; `is_passing`: it ends once the nodes agree.
create table bitcoin_chains (
  network text primary key,
  genesis text,
  first_block bigint check (first_block >= 0),
  next_block bigint check (next_block > first_block),
  final_block bigint,
  -- What was on our addresses when following began.
  opening numeric(38, 0) not null default 0,
  holder text,
  fence bigint not null default 0,
  lease_until timestamptz,
  halted text,
  is_passing boolean not null default false,
  -- Since when, in real time, the two nodes have not agreed.
  unsure_since timestamptz
);

-- The last blocks that were read: a reorganization shows in their hashes.
create table bitcoin_blocks (
  network text not null references bitcoin_chains,
  number bigint not null,
  hash text not null,
  primary key (network, number)
);

-- Our addresses. Branch 0 is what customers pay to, one address for each order; branch 1 is what returns to us. `position` is the
-- key's number in its branch. A row without a script is about to get one, and nobody has seen its address.
create table bitcoin_addresses (
  id bigint generated always as identity primary key,
  network text not null references bitcoin_chains,
  order_id bigint,
  branch smallint not null check (branch in (0, 1)),
  position bigint,
  script text,
  address text,
  unique (network, order_id),
  unique (network, script),
  check ((branch = 0) = (order_id is not null))
);
create index bitcoin_addresses_by_address on bitcoin_addresses (address, network);

-- An output to an address of ours. `mempool`: in no block. `gone`: it was final, and is no longer on the chain; it may come back
-- until its absence is as deep as its presence was. One that comes back after it was reversed is a new inclusion.
create table bitcoin_coins (
  id bigint generated always as identity primary key,
  network text not null references bitcoin_chains,
  txid text not null,
  vout integer not null check (vout >= 0),
  inclusion integer not null check (inclusion > 0),
  address_id bigint not null references bitcoin_addresses,
  amount numeric(38, 0) not null check (amount > 0),
  block bigint,
  is_coinbase boolean not null default false,
  -- It is ours from before: change, or what was there when following began. Reported to no one.
  is_own boolean not null default false,
  state text not null check (state in ('mempool', 'seen', 'final', 'gone', 'reversed')),
  was_final boolean not null default false,
  is_disputed boolean not null default false,
  -- What its transfer spends, while it is not final: whether another one spends the same shows here.
  spends text[] not null default '{}',
  -- Since when, in real time, no node has it.
  missing_since timestamptz,
  spent_by text,
  spent_block bigint,
  unique (network, txid, vout, inclusion),
  check ((block is null) = (state = 'mempool') or state = 'reversed')
);
create index bitcoin_coins_at on bitcoin_coins (address_id, id);
create index bitcoin_coins_open on bitcoin_coins (network, state) where state in ('mempool', 'seen', 'gone');
create index bitcoin_coins_block on bitcoin_coins (network, block);
create index bitcoin_coins_unspent on bitcoin_coins (network, amount) where state = 'final' and spent_by is null;
create index bitcoin_coins_spent on bitcoin_coins (network, spent_block) where spent_block is not null;

-- A transfer of ours: all its attempts spend the same inputs, so that the chain takes one at most. Without payments it gathers
-- small outputs in a large one.
create table bitcoin_sends (
  id bigint generated always as identity primary key,
  network text not null references bitcoin_chains,
  state text not null default 'open' check (state in ('open', 'done', 'never')),
  -- What it cost where no payout's evidence says so.
  cost numeric(38, 0) check (cost > 0),
  is_charged boolean not null default false
);
create index bitcoin_sends_open on bitcoin_sends (network) where state = 'open';
create index bitcoin_sends_uncharged on bitcoin_sends (network) where cost is not null and not is_charged;

-- What a transfer of ours spends, from which attempt on. Every later attempt spends it too.
create table bitcoin_inputs (
  send_id bigint not null references bitcoin_sends,
  txid text not null,
  vout integer not null,
  amount numeric(38, 0) not null check (amount > 0),
  branch smallint not null,
  position bigint not null,
  since integer not null default 1 check (since > 0),
  primary key (send_id, txid, vout)
);
create index bitcoin_inputs_outpoint on bitcoin_inputs (txid, vout);

-- A payout that was submitted: it waits for the next transfer, and is in one transfer only. `script` is whom it pays, until it is
-- buried deep; `number` is its place among the payments of its transfer.
create table bitcoin_payments (
  id bigint generated always as identity primary key,
  network text not null references bitcoin_chains,
  plan_key text not null,
  script text,
  amount numeric(38, 0) not null check (amount > 0),
  state text not null default 'waiting' check (state in ('waiting', 'sending', 'done', 'never')),
  send_id bigint references bitcoin_sends,
  number integer,
  unique (network, plan_key),
  check ((send_id is null) = (state = 'waiting'))
);
create index bitcoin_payments_waiting on bitcoin_payments (network, id) where state = 'waiting';
create index bitcoin_payments_send on bitcoin_payments (send_id);

-- The signed bytes of a transfer of ours, each attempt with a higher fee than the one before. Committed before it is broadcast.
create table bitcoin_attempts (
  send_id bigint not null references bitcoin_sends,
  number integer not null check (number > 0),
  txid text not null unique,
  -- Until the transfer is buried deep.
  raw text,
  fee numeric(38, 0) not null check (fee > 0),
  size integer not null check (size > 0),
  change numeric(38, 0) not null check (change >= 0),
  made_at timestamptz not null,
  block bigint,
  primary key (send_id, number)
);
create index bitcoin_attempts_block on bitcoin_attempts (block) where block is not null;
create index bitcoin_attempts_raw on bitcoin_attempts (send_id) where raw is not null;
