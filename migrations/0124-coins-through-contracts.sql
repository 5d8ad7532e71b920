-- Coins that a contract sends are in no transfer of a block: what an address holds is compared with what is known to have come.
set local lock_timeout = '5s';

-- An address of an order on the chain that the order is paid on. `coins` is what was accounted for at `block`, with the nonce that the
-- address had then; all three are null before the first look at one that was made before this.
create table evm_watched (
  network text not null references evm_chains,
  address text not null references evm_addresses,
  since timestamptz not null,
  look_at timestamptz not null,
  coins numeric(38, 0) check (coins >= 0),
  nonce bigint,
  block bigint,
  primary key (network, address),
  check (num_nulls(coins, nonce, block) in (0, 3))
);
create index evm_watched_due on evm_watched (network, look_at);

-- Addresses of before, each at a moment of its own of the first day.
insert into evm_watched (network, address, since, look_at)
select network, address, now() - interval '30 days', now() + random() * interval '1 day'
from evm_addresses cross join evm_chains where derivation is not null and next_block is not null;
