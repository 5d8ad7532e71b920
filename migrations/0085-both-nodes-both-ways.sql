-- Both nodes of a chain are asked what came, both ways (src/rails/evm/agree.ts), and how they are is shown.
set local lock_timeout = '5s';

-- Up to this block, both nodes of a chain of the EVM report the same transfers to us.
alter table evm_chains add column agreed_block bigint;
update evm_chains set agreed_block = greatest(first_block, next_block - 200) where next_block is not null;

-- The nodes of a chain as they were last seen, the first one as number 1.
create table chain_nodes (
  network text not null,
  number integer not null check (number > 0),
  state text not null check (state in ('ok', 'down', 'behind', 'refuses', 'disagrees')),
  since timestamptz not null,
  primary key (network, number)
);
