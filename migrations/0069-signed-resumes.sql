set local lock_timeout = '5s';

-- How often a halt was renewed while it held: who wanted to end it before, wants so no more.
alter table halts add column round integer not null default 0;
