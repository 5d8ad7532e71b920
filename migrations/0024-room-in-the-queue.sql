-- Room in the queue for the change that a delivery goes through before it leaves; sending again what is under way.
set local lock_timeout = '5s';

-- A claim changes no column that is indexed: where the new version of a row finds room beside the old one, no index is
-- written. Of pages that are filled to 70 percent more than half of the rows had to move.
alter table webhook_queue set (fillfactor = 45);

-- Somebody wants it sent again, and it was under way: when that attempt ends it stays, and is due.
alter table webhook_queue add column again boolean not null default false;
