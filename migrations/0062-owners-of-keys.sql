-- The owner of a data key is written when the customer is known, and read when somebody is erased. With a summarizing index, that
-- change stays within its page and costs no new entries of other indexes. Erasing reads more pages.
set local lock_timeout = '5s';

drop index data_keys_owner;
create index data_keys_owner on data_keys using brin (owner) with (pages_per_range = 16, autosummarize = on);
alter table data_keys set (fillfactor = 80);
