-- Two nodes of a chain of the EVM must agree before a deposit is final, as with Bitcoin and the XRP Ledger.
set local lock_timeout = '5s';

alter table evm_chains
  add column is_passing boolean not null default false,
  add column unsure_since timestamptz;
comment on column evm_chains.is_passing is 'The halt ends by itself once the nodes agree.';
comment on column evm_chains.unsure_since is 'Since when the nodes have not agreed; null while they do.';
