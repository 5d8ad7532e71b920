-- Where an operator was who changed something, and looking the audit up by person, action and subject.
set local lock_timeout = '5s';

-- The address that the request came from, or the machine's user for a command; null: by the service itself, or written before this was kept.
alter table audit add column origin text;
create index audit_actor on audit (actor, id);
create index audit_action on audit (action, id);
-- The id of what was changed, whatever sort of thing it is: `transaction:12` as 12.
create index audit_id_of_subject on audit (split_part(subject, ':', 2), id);
