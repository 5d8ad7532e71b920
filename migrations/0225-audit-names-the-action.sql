-- Which action made an entry of the audit, so that it follows from the action and from no words of its verb.
set local lock_timeout = '5s';

-- The name of the action, `payout.approve`; null: by the service or the API, or written before this was kept.
alter table audit add column by_action text;
create index audit_by_action on audit (by_action, id) where by_action is not null;
