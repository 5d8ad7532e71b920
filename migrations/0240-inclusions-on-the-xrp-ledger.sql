-- What one node reported may be another amount or tag than both report later: that is another inclusion, and the first one is reversed.
set local lock_timeout = '5s';

alter table xrpl_arrivals add column inclusion integer not null default 1 check (inclusion > 0);
alter table xrpl_arrivals alter column inclusion drop default;
alter table xrpl_arrivals drop constraint xrpl_arrivals_pkey, add primary key (network, hash, inclusion);
create unique index xrpl_arrivals_standing on xrpl_arrivals (network, hash) where state <> 'reversed';
create index xrpl_arrivals_by_ledger on xrpl_arrivals (network, ledger) where state <> 'reversed';
