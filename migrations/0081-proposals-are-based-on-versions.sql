-- A proposal of a policy belongs to the version that it was drafted on, and keeps what its author was shown.
set local lock_timeout = '5s';

-- `based_on`: the version in force when it was proposed; null in older rows, and for what ships. `difference`, `dry_run`: what it would
-- change, in sentences, and what the past would have been under it.
alter table policies add column based_on integer, add column difference jsonb, add column dry_run jsonb;
