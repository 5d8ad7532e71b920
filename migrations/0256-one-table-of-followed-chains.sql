-- Every family of chains is followed in the same way: by one process at a time, from a block on, up to a block. There were three
-- tables of it, which each said so in its own words, and two of the blocks that were read.
set local lock_timeout = '5s';

-- One chain that is followed. Everything from `first_block` on and below `next_block` has been read; up to `agreed_block` both nodes report
-- the same. `halted` says why nothing is credited; `is_passing`: it ends once the nodes agree. Who lost the lease finds another fence and
-- writes nothing. Blocks of the XRP Ledger are its ledgers.
create table chain_follows (
  network text primary key,
  family text not null check (family in ('evm', 'bitcoin', 'xrpl')),
  -- What it is known by, once: the chain's id, the hash of its first block, or our account.
  identity text,
  first_block bigint check (first_block >= 0),
  next_block bigint check (next_block > first_block),
  agreed_block bigint,
  check ((next_block is null) = (agreed_block is null)),
  -- What was ours when following began. On chains of the EVM a node is asked for that.
  opening numeric(38, 0) not null default 0 check (opening >= 0),
  holder text,
  fence bigint not null default 0,
  lease_until timestamptz,
  halted text,
  is_passing boolean not null default false,
  -- Since when, in real time, the nodes have not agreed.
  unsure_since timestamptz
);
insert into chain_follows
select network, 'evm', chain_id::text, first_block, next_block, case when next_block is not null then coalesce(agreed_block, first_block, next_block - 1) end, 0, holder, fence, lease_until, halted, is_passing, unsure_since
from evm_chains
union all
select network, 'bitcoin', genesis, first_block, next_block, case when next_block is not null then coalesce(final_block, first_block, next_block - 1) end, opening, holder, fence, lease_until, halted, is_passing, unsure_since
from bitcoin_chains
union all
select network, 'xrpl', account, first_ledger, next_ledger, next_ledger - 1, opening, holder, fence, lease_until, halted, halted is not null, unsure_since
from xrpl_accounts;

-- The last blocks that were read: a reorganization shows in their hashes.
create table chain_blocks (
  network text not null references chain_follows,
  number bigint not null,
  hash text not null,
  primary key (network, number)
);
insert into chain_blocks select network, number, hash from evm_blocks union all select network, number, hash from bitcoin_blocks;
do $$
begin
  assert (select count(*) from chain_blocks) = (select count(*) from evm_blocks) + (select count(*) from bitcoin_blocks), 'A block was lost.';
  assert (select sum(fence) from chain_follows) is not distinct from (
    select sum(fence) from (select fence from evm_chains union all select fence from bitcoin_chains union all select fence from xrpl_accounts) as all_of),
    'A chain was lost.';
end $$;
drop table evm_blocks, bitcoin_blocks;

do $$
declare
  one record;
begin
  for one in
    select conrelid::regclass as "table", conname from pg_constraint
    where contype = 'f' and confrelid in ('evm_chains'::regclass, 'bitcoin_chains'::regclass, 'xrpl_accounts'::regclass)
  loop
    execute format('alter table %s drop constraint %I, add foreign key (network) references chain_follows', one."table", one.conname);
  end loop;
end $$;
drop table evm_chains, bitcoin_chains, xrpl_accounts;

create or replace function taken_by_a_block() returns trigger language plpgsql as $$
declare
  is_read boolean := false;
  was_undone boolean := true;
begin
  if tg_table_name = 'evm_outgoing' then
    if tg_op <> 'DELETE' then
      is_read := exists (select from chain_blocks join chain_follows using (network)
        where network = new.network and number = new.block and number >= next_block);
    end if;
    if tg_op <> 'INSERT' then
      was_undone := not exists (select from chain_blocks where network = old.network and number = old.block);
    end if;
  else
    is_read := new.spent_block is null or exists (select from chain_blocks join chain_follows using (network)
      where network = new.network and number = new.spent_block and number >= next_block);
    was_undone := old.spent_block is null or not exists (
      select from chain_blocks where network = old.network and number = old.spent_block);
    if not exists (select from bitcoin_inputs where txid = old.txid and vout = old.vout) then
      return new;
    end if;
  end if;
  if not was_undone or tg_op <> 'DELETE' and not is_read then
    raise exception 'What a block took changes with its block alone (%).', tg_table_name using errcode = 'check_violation';
  end if;
  return case tg_op when 'DELETE' then old else new end;
end $$;
