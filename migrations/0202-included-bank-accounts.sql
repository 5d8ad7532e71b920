-- An account in a bank's files that is not ignored any more.
set local lock_timeout = '5s';

alter table iso20022_ignored_accounts add column ended_at timestamptz;
