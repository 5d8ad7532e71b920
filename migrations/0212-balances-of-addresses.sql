-- Whether nodes say what addresses held, and alike: without that, what contracts bring is not found. And every address of an order is
-- watched on every chain: coins may come on another one than was asked for.
set local lock_timeout = '5s';

alter table chain_nodes
  add column balances text check (balances in ('refuses', 'disagrees')),
  add column balances_since timestamptz,
  add constraint chain_nodes_balances_dated check ((balances is null) = (balances_since is null));
insert into evm_watched (network, address, since, look_at)
select network, address, now(), now() + random() * interval '1 day' from evm_addresses cross join evm_chains
where derivation is not null on conflict do nothing;

do $$
begin
  if exists (
    select from evm_addresses cross join evm_chains where derivation is not null and not exists (
      select from evm_watched where evm_watched.network = evm_chains.network and evm_watched.address = evm_addresses.address)) then
    raise exception 'An address is not watched on every chain.';
  end if;
end $$;
