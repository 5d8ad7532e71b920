-- A transfer of ours may spend a deposit that a reorganization takes for good. Its next attempt leaves that input out and keeps another
-- one of the first attempt, so that still only one of them can be in the chain.
set local lock_timeout = '5s';

alter table bitcoin_inputs add column is_dropped boolean not null default false;
